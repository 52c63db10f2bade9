"""What is rendered for a switch, typed into the simulated one as the plan says."""

from __future__ import annotations

from pathlib import Path

from netcheck import api
from netcheck.platforms.nxos import apply
from netcheck.platforms.nxos.render import render
from netcheck.platforms.platform import Run
from tests.lab.nxos.nxos_labs import build_lab, shown, switch_of, typed

INTENT = Path(__file__).resolve().parents[3] / "examples" / "lab-small-nxos.yaml"


def test_a_plan_is_taken_line_by_line_and_nothing_is_left_to_change(tmp_path: Path) -> None:
    fabric = api.complete(api.load_intent(INTENT, deployable=True))
    leaf = fabric.devices["leaf01"]
    switch = switch_of(build_lab(tmp_path))
    rendered = render(leaf, fabric)

    def held() -> dict[str, str]:
        return {found.file: shown(switch, found.line) for found in apply.holdings(leaf)}

    change = apply.plan(leaf, rendered, held())
    before = switch.root.copy()
    console = switch.new_shell()
    steps = [*change.save, *change.steps, *change.persist]
    answers = typed(console, [step.line for step in steps if isinstance(step, Run)])
    assert [text for text in answers if text.lstrip().startswith(("%", "^", "ERROR"))] == []
    assert apply.plan(leaf, rendered, held()).steps == ()
    assert switch.startup == switch.root

    typed(console, [step.line for step in change.undo if isinstance(step, Run)])
    assert switch.root == before
