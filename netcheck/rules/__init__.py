"""Rules: one function a rule, its page in its docstring; the engine that runs them."""
