"""Plans, and how they are applied, checked, undone and journalled."""
