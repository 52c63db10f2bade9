from pathlib import Path

from netcheck.cli.commands import COMMANDS
from netcheck.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def test_the_reference_on_disk_is_what_the_commands_say() -> None:
    assert PAGE.read_text("utf-8") == reference(), "run: make docs"


def test_every_command_has_its_section() -> None:
    page = reference()
    assert [name for name in COMMANDS if f"## netcheck {name}\n" not in page] == []
