"""An intended subnet as the content of the subnet manager's files."""
