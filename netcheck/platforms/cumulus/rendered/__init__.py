"""What is written for NVUE."""
