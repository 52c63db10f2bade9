"""Asking again what was not answered in time, and nothing else."""

from collections.abc import Sequence

import pytest

from netcheck.rehearse.reading import ROUNDS, Reply, patient

# opensm 3.3.23, saquery -p, reduced to what names the path
PATH = """PathRecord dump:
\t\tdlid....................5
\t\tslid....................2
\t\tpkey....................0xFFFF
\t\tsl......................0x0
"""
LATE = "Query SA failed: Connection timed out\n"


class Tool:
    """Answers each call late so many times, then as it is told."""

    def __init__(
        self, late: dict[str, int], status: int = 0, unanswered: tuple[str, int] = (LATE, 255)
    ) -> None:
        self.late = late
        self.status = status
        self.unanswered = unanswered
        self.asked: list[list[str]] = []
        self.waits = 0

    def wait(self) -> None:
        self.waits += 1

    def ask(self, commands: Sequence[Sequence[str]]) -> list[Reply]:
        self.asked.append([" ".join(one) for one in commands])
        return [self._reply(name) for name in self.asked[-1]]

    def _reply(self, name: str) -> Reply:
        if self.late.get(name):
            self.late[name] -= 1
            return Reply(name, *self.unanswered)
        return Reply(name, f"{name} said", self.status)


def test_only_what_was_late_is_asked_again_and_answers_stay_in_order() -> None:
    tool = Tool({"b": 2})
    replies = patient(tool.ask, tool.wait)([("a",), ("b",), ("c",)])
    assert [one.text for one in replies] == ["a said", "b said", "c said"]
    assert (tool.asked, tool.waits) == ([["a", "b", "c"], ["b"], ["b"]], 2)


@pytest.mark.parametrize("status", [1, 255])
def test_another_failure_is_an_answer(status: int) -> None:
    tool = Tool({}, status=status)
    patient(tool.ask, tool.wait)([("a",)])
    assert tool.asked == [["a"]]


def test_what_stays_late_is_given_up() -> None:
    tool = Tool({"a": 100})
    (reply,) = patient(tool.ask, tool.wait)([("a",)])
    assert (reply.status, reply.text) == (255, LATE)
    assert len(tool.asked) == ROUNDS + 1


@pytest.mark.parametrize(
    ("name", "unanswered"),
    [
        ("saquery SMIR", ("Segmentation fault\n", 139)),
        ("sminfo", ("timed out: no answer within 20 s\n", 124)),
        ("saquery -p --slid 2 --dlid 7", (PATH, 0)),
    ],
)
def test_a_crash_a_hang_and_the_answer_to_another_query_are_no_answers(
    name: str, unanswered: tuple[str, int]
) -> None:
    tool = Tool({name: 2}, unanswered=unanswered)
    (reply,) = patient(tool.ask, tool.wait)([name.split()])
    assert (reply.text, tool.waits) == (f"{name} said", 2)


def test_the_answer_to_this_query_is_one() -> None:
    tool = Tool({"saquery -p --slid 2 --dlid 5": 1}, unanswered=(PATH, 0))
    (reply,) = patient(tool.ask, tool.wait)([["saquery", "-p", "--slid", "2", "--dlid", "5"]])
    assert (reply.text, tool.waits) == (PATH, 0)
