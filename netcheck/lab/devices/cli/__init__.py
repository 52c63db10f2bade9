"""Base of simulated devices whose login is a command line with configuration modes."""
