"""From what a switch holds to what is rendered: merge, difference, and which way it goes."""
