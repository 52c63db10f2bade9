import csv
import io
import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
ONE = ("headroom", "--asic", "spectrum-4", "--speed", "400G", "--cable", "5m")


def rows(netcheck: Run, *arguments: str) -> list[dict[str, object]]:
    code, out, _ = netcheck(*arguments, "--format", "json")
    assert code == 0
    found: list[dict[str, object]] = json.loads(out)
    return found


def test_there_is_a_row_for_each_combination(netcheck: Run) -> None:
    found = rows(
        netcheck, "headroom", "--asic", "spectrum-4", "--speed", "100G,400G", "--cable", "5m,40m"
    )
    assert [(row["speed_bps"], row["cable_m"]) for row in found] == [
        (100_000_000_000, 5),
        (100_000_000_000, 40),
        (400_000_000_000, 5),
        (400_000_000_000, 40),
    ]


def test_a_row_has_the_published_keys_and_its_terms_add_up(netcheck: Run) -> None:
    [row] = rows(netcheck, *ONE)
    assert set(row) == {
        "asic",
        "speed_bps",
        "cable_m",
        "headroom_bytes",
        "xon_bytes",
        "size_bytes",
        "terms",
        "model",
        "error_percent",
    }
    terms = row["terms"]
    assert isinstance(terms, list)
    assert sum(term["bytes"] for term in terms) == row["headroom_bytes"]


def test_an_option_overrides_the_parameter_set(netcheck: Run) -> None:
    [plain] = rows(netcheck, *ONE)
    [small] = rows(netcheck, *ONE, "--small-packets", "100%")
    assert small["headroom_bytes"] > plain["headroom_bytes"]  # type: ignore[operator]  # JSON numbers


def test_parameter_sets_are_listed_by_name(netcheck: Run) -> None:
    code, out, _ = netcheck("headroom", "--list-parameters", "--format", "json")
    assert code == 0
    assert "present" in json.loads(out)


def test_csv_and_text_show_the_same_figure(netcheck: Run) -> None:
    [row] = rows(netcheck, *ONE)
    _, table, _ = netcheck(*ONE, "--format", "csv")
    _, text, _ = netcheck(*ONE)
    [line] = csv.DictReader(io.StringIO(table))
    assert line["headroom_bytes"] == str(row["headroom_bytes"])
    assert f"{row['headroom_bytes']} B" in text


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--asic", "spectrum-99", "spectrum-99"),
        ("--speed", "401G", "401G"),
        ("--speed", "400", "expected a speed"),
        ("--cable", "0m", "cable"),
        ("--cable", "121km", "cable"),
        ("--cable", "-5m", "cable"),
        ("--parameters", "none", "parameters none"),
    ],
)
def test_what_cannot_be_is_bad_input(netcheck: Run, option: str, value: str, message: str) -> None:
    code, _, err = netcheck(*ONE, option, value)
    assert code == 2
    assert message in err
