"""Reports: one module an output; findings in, text out."""
