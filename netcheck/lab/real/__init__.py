"""Real soft-RoCE hosts and a real Linux switch in two small virtual machines."""
