"""netcheck: one intent, a lossless AI or HPC fabric, and the proof that it is one."""
