"""The embedded lab: simulated switches and hosts behind SSH, and the traffic between them."""
