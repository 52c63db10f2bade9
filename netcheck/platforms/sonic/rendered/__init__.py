"""From the model to the tables of CONFIG_DB: rows, names, and what is refused."""
