"""What a switch says of its subnet manager."""
