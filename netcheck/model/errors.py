"""Exceptions of netcheck.

NetcheckError
├── InputError            bad input or usage: exit code 2 (also ValueError)
│   └── IntentError       an intent that cannot be used; carries every complaint
├── RefusalError          a platform cannot express what was asked (also ValueError)
├── TransportError        a device cannot be reached or stops answering (also OSError)
├── UnknownFactError      a fact was read without evidence (model.known)
├── AbsentFactError       a fact was read that is not there (model.known)
└── NotGivenError         a whole view was never given: not applicable (model.fact)
"""

from __future__ import annotations


class NetcheckError(Exception):
    """Root of everything that netcheck raises on purpose."""


class InputError(NetcheckError, ValueError):
    """Input or usage that cannot be worked with; the message names the place."""


class RefusalError(NetcheckError, ValueError):
    """A platform cannot express what was asked.

    Attributes:
        limit: Name of the limit in the platform's ``capabilities.yaml``.
    """

    def __init__(self, limit: str, message: str) -> None:
        self.limit = limit
        super().__init__(message)


class TransportError(NetcheckError, OSError):
    """A device cannot be reached, refuses the login, or stops answering."""
