"""Community SONiC: CONFIG_DB, the redis databases and the show commands."""
