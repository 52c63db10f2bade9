import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[2]
ASKED = ("predict", str(ROOT / "examples" / "lab.yaml"), "--duration", "50us", "--incast")


def test_the_text_says_what_starts_when(netcheck: Run) -> None:
    code, out, _ = netcheck(*ASKED, "4:1@gpu01")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "incast 4:1 to gpu01 rail0, class rdma, 50.0 us  (simulated)"
    assert [line.split()[0] for line in lines[1:5]] == ["marking", "pausing", "spread", "dropped"]


def test_json_holds_the_same_with_samples(netcheck: Run) -> None:
    code, out, _ = netcheck(*ASKED, "4:1@gpu01:mlx5_1", "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert found["incast"]["receiver"] == {"device": "gpu01", "port": "rail1"}
    assert len(found["incast"]["senders"]) == 4
    assert found["dropped"] == {"packets": 0, "places": []}
    assert found["marking"]["starts_s"] < found["closed_form"]["first_pause_s"]
    assert len(found["samples"]) == 50
    assert found["basis"] == "simulated"


def test_a_picture_is_drawn_and_is_the_same_each_time(netcheck: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pictures = []
    for name in ("one.svg", "two.svg"):
        assert netcheck(*ASKED, "2:1@gpu01", "-o", str(tmp_path / name))[0] == 0
        pictures.append((tmp_path / name).read_bytes())
    assert pictures[0] == pictures[1]
    assert b"<svg" in pictures[0]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("8@gpu01",), "expected N:1@HOST"),
        (("0:1@gpu01",), "expected N:1@HOST"),
        (("2:1@gpu99",), "gpu99: no host"),
        (("2:1@gpu01:eth9",), "expected one of mlx5_0, mlx5_1"),
        (("2:1@gpu01", "--class", "voice"), "expected one of rdma, cnp, default"),
        (("2:1@gpu01", "-o", "x.pdf"), "ends in .svg or .png"),
    ],
)
def test_bad_questions_are_refused(netcheck: Run, more: tuple[str, ...], message: str) -> None:
    code, out, err = netcheck(*ASKED, *more)
    assert code == 2
    assert message in out + err
