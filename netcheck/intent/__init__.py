"""YAML intent to Fabric: ``load_intent`` reads and checks, ``complete`` fills in."""

from netcheck.intent.complaint import Complaint, IntentError
from netcheck.intent.complete import complete
from netcheck.intent.load import load_intent

__all__ = ["Complaint", "IntentError", "complete", "load_intent"]
