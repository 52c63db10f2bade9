"""Texts of NX-OS into facts, one module a kind of text."""
