"""An intent made of what devices hold: completing a policy, the other way round."""
