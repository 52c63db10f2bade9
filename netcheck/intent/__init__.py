"""YAML intent to Fabric: ``load_intent`` reads and checks, ``complete`` fills in."""

from netcheck.intent.complaint import Complaint, IntentError
from netcheck.intent.complete import complete
from netcheck.intent.load import load_intent
from netcheck.intent.notes import explain

__all__ = ["Complaint", "IntentError", "complete", "explain", "load_intent"]
