"""What a machine of the real lab says on its console."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lab.real.machine import crash_of, ready_after

# synthetic, in the form of Linux 6.12
CRASH = (
    "netcheck-lab ready 15.49\n"
    "[  508.404932] Oops: double fault: 0000 [#1] PREEMPT SMP NOPTI\n"
    "[  508.437665] Kernel panic - not syncing: Fatal exception in interrupt\n"
)


@pytest.mark.parametrize(
    ("console", "ready", "crash"),
    [
        ("", None, ""),
        ("[    0.1] Linux version 6.12\n", None, ""),
        ("netcheck-lab ready 15.49\n", 15.49, ""),
        (CRASH, 15.49, "[  508.404932] Oops: double fault: 0000 [#1] PREEMPT SMP NOPTI"),
    ],
)
def test_a_console_tells_when_a_machine_was_ready_and_how_it_ended(
    tmp_path: Path, console: str, ready: float | None, crash: str
) -> None:
    (tmp_path / "gpu01.console").write_text(console, "utf-8")
    assert ready_after(tmp_path, "gpu01") == ready
    assert crash_of(tmp_path, "gpu01") == crash


def test_a_machine_that_never_started_has_said_nothing(tmp_path: Path) -> None:
    assert (ready_after(tmp_path, "gpu01"), crash_of(tmp_path, "gpu01")) == (None, "")
