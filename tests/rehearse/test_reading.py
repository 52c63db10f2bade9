"""Asking again what was not answered in time, and nothing else."""

from collections.abc import Sequence

from netcheck.rehearse.reading import ROUNDS, Reply, patient

LATE = "Query SA failed: Connection timed out\n"


class Tool:
    """Answers each call late so many times, then as it is told."""

    def __init__(self, late: dict[str, int], status: int = 0) -> None:
        self.late = late
        self.status = status
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
            return Reply(name, LATE, 255)
        return Reply(name, f"{name} said", self.status)


def test_only_what_was_late_is_asked_again_and_answers_stay_in_order() -> None:
    tool = Tool({"b": 2})
    replies = patient(tool.ask, tool.wait)([("a",), ("b",), ("c",)])
    assert [one.text for one in replies] == ["a said", "b said", "c said"]
    assert (tool.asked, tool.waits) == ([["a", "b", "c"], ["b"], ["b"]], 2)


def test_another_failure_is_an_answer() -> None:
    tool = Tool({}, status=1)
    patient(tool.ask, tool.wait)([("a",)])
    assert tool.asked == [["a"]]


def test_what_stays_late_is_given_up() -> None:
    tool = Tool({"a": 100})
    (reply,) = patient(tool.ask, tool.wait)([("a",)])
    assert (reply.status, reply.text) == (255, LATE)
    assert len(tool.asked) == ROUNDS + 1
