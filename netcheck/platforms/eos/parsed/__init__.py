"""EOS texts into what the model needs."""
