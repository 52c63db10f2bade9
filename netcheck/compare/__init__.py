"""Expected against found, as Findings."""
