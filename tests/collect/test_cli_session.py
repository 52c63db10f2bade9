"""Sessions on a command line with modes, over SSH: text, status, modes, refusals, questions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace

import asyncssh
import pytest

from netcheck.collect.dialects import CliDialect
from netcheck.collect.session import DeviceRefusedError, Output, Session
from netcheck.collect.target import Target
from netcheck.lab.devices.cli.config import write
from netcheck.lab.devices.cli.console import Command, Console, RefusedError, Rule, Shown
from netcheck.lab.devices.cli.device import CliDevice
from netcheck.lab.devices.cli.grammar import Match, Pattern
from netcheck.lab.devices.device import Neighbour
from netcheck.lab.devices.ssh import Login, listen
from netcheck.model.errors import TransportError
from netcheck.platforms.capabilities import SessionFacts, capabilities

FACTS = SessionFacts("cli", ("terminal length 0",), ("^% ",))


class Nowhere:
    """No neighbours."""

    def neighbour(self, device: str, port: str) -> Neighbour | None:
        del device, port
        return None

    def is_link_up(self, device: str, port: str) -> bool:
        del device, port
        return False


def refuse(console: Console, match: Match) -> Shown:
    del console, match
    raise RefusedError("% Refused")


async def wait(console: Console, match: Match) -> Shown:
    del console, match
    await asyncio.sleep(30)
    return Shown("late\n")


class Switch(CliDevice):
    """A command line with one mode and a few commands."""

    commands: Sequence[Command] = (
        Command(Pattern("terminal length <0-100>"), lambda _c, _m: ""),
        Command(
            Pattern("show text"),
            lambda _c, _m: Shown("one\n\n  two #\nsw1# three\n"),
            in_config=True,
        ),
        Command(Pattern("show large"), lambda _c, _m: Shown("x" * 79 + "\n" + "line\n" * 30000)),
        Command(Pattern("refuse"), refuse),
        Command(Pattern("wait"), wait),
        Command(Pattern("ask"), lambda _c, _m: Shown("Proceed? [y/n]: ")),
        Command(Pattern("configure"), lambda c, _m: c.enter(c.device.running)),  # type: ignore[attr-defined] # it is a Switch
        Command(
            Pattern("show running-config"),
            lambda c, _m: "\n".join(write(c.device.running)) + "\n",  # type: ignore[attr-defined] # as above
            in_config=True,
        ),
    )
    grammar = {  # noqa: RUF012 -- a table
        "config": (
            Rule(Pattern("interface NAME"), opens="interface", suffix="if-{}"),
            Rule(Pattern("end"), action=lambda c, _m: c.leave()),
        ),
        "interface": (Rule(Pattern("mtu = <68-9214>")),),
    }
    kinds = {"NAME": lambda word: word}  # noqa: RUF012 -- as above


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("cli")
    (folder / "password").write_text("right")
    started: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        switch = Switch("sw1", folder, Nowhere())
        login = Login("admin", "right", asyncssh.generate_private_key("ssh-ed25519"))
        found = await listen("127.0.0.1", 0, login, switch.new_shell, switch.files)
        stopped = asyncio.Event()
        started.set_result((found.get_port(), asyncio.get_running_loop(), stopped))
        await stopped.wait()
        found.close()
        await found.wait_closed()
        # Paramiko sees ten times a second whether it is to close; the server then does, too.
        await asyncio.sleep(0.5)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    port, loop, stopped = started.result(10)
    yield Target(
        device="sw1",
        host="127.0.0.1",
        port=port,
        username="admin",
        netmiko="arista_eos",
        password=f"file:{folder / 'password'}",
        session=FACTS,
    )
    loop.call_soon_threadsafe(stopped.set)
    thread.join(10)


@pytest.mark.parametrize(
    ("line", "text", "status"),
    [
        ("show text", "one\n\n  two #\nsw1# three\n", 0),
        ("sh te | include two", "  two #\n", 0),
        ("show large", "x" * 79 + "\n" + "line\n" * 30000, 0),
        ("show nothing", "% Invalid input\n", 1),
        ("refuse", "% Refused\n", 1),
        ("", "", 0),
    ],
)
def test_output_is_exact_and_a_refusal_is_status_one(
    device: Target, line: str, text: str, status: int
) -> None:
    with Session(device) as session:
        assert session.run(line) == Output(text, status)
        assert session.run("show text").is_ok


def test_modes_last_from_one_command_to_the_next(device: Target) -> None:
    with Session(device) as session:
        lines = ["configure", "interface Ethernet1", "mtu 9000", "show text", "mtu 9001", "end"]
        assert [session.run(line).status for line in lines] == [0] * len(lines)
        assert "   mtu 9001\n" in session.run("show running-config").text


def test_a_refused_setup_line_ends_the_login(device: Target) -> None:
    wrong = replace(device, session=replace(FACTS, setup=("terminal width 0",)))
    with pytest.raises(TransportError, match=r"terminal width 0: % Invalid input"):
        Session(wrong)


def test_a_file_is_not_taken(device: Target) -> None:
    with Session(device) as session, pytest.raises(DeviceRefusedError, match="takes no files"):
        session.upload("/etc/x", "text")


def test_a_command_can_be_interrupted(device: Target) -> None:
    with Session(device) as session:
        session.start("wait")
        session.interrupt(timeout=10)
        assert session.run("show text").is_ok


def test_a_command_that_does_not_end_is_given_up(device: Target) -> None:
    with Session(device) as session, pytest.raises(TransportError, match="no end within its time"):
        session.run("wait", timeout=0.3)


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        (b"enable\r\nPassword: ", "password"),
        (b"show x\r\na\r\n --More-- ", "paged"),
        (b"delete x\r\nProceed? [y/n]: ", "yes or no"),
        (b"show x\r\nPassword policy\r\n", ""),
    ],
)
def test_a_question_is_told_from_an_output(shown: bytes, reason: str) -> None:
    found = CliDialect(SessionFacts("cli")).question(bytearray(shown))
    assert reason in found
    assert bool(reason) == bool(found)


@pytest.mark.parametrize(
    ("prompt", "is_prompt"),
    [
        (b"sw1#", True),
        (b"sw1>", True),
        (b"sw1(config-s-netche-if-Et1/1)#", True),
        (b"sw2#", False),
        (b"text sw1#", False),
        (b"\x1b[5n sw1#", False),
        (b"\x1b[Ksw1# ", True),
    ],
)
def test_only_the_devices_own_prompt_ends_a_command(prompt: bytes, *, is_prompt: bool) -> None:
    dialect = CliDialect(SessionFacts("cli"))
    (_, _), (_, learn) = dialect.login()
    assert learn(bytearray(b"banner #\r\nsw1#\r\nsw1#"))
    assert (dialect.ending(bytearray(b"show x\r\ntext\r\n" + prompt)) is not None) == is_prompt


def test_a_banner_is_no_prompt() -> None:
    (_, _), (_, learn) = CliDialect(SessionFacts("cli")).login()
    assert not learn(bytearray(b"Welcome#\r\nsw1#"))


@pytest.mark.parametrize(
    ("prompt", "is_prompt"),
    [
        (b"sw1 [standalone: master] > ", True),
        (b"sw1 [standalone: master] # ", True),
        (b"sw1 [standalone: master] (config) # ", True),
        (b"sw1 (config interface ib 1/1) # ", True),
        (b"sw2 [standalone: master] # ", False),
        (b"sw1 [standalone: master]", False),
        (b"Type 'yes' to continue: ", False),
    ],
)
def test_a_platform_says_what_follows_the_name_in_a_prompt(
    prompt: bytes, *, is_prompt: bool
) -> None:
    dialect = CliDialect(capabilities("onyx").session)
    (_, _), (_, learn) = dialect.login()
    assert learn(bytearray(b"sw1 [standalone: master] > \r\nsw1 [standalone: master] > "))
    assert (dialect.ending(bytearray(b"show x\r\ntext\r\n" + prompt)) is not None) == is_prompt


def test_a_declared_question_is_answered_once_and_again_when_it_is_asked_again() -> None:
    dialect = CliDialect(SessionFacts("cli", answers=(("continue: ?$", "yes"),)))
    dialect.typed("no thing")
    asked = bytearray(b"no thing\r\nType 'yes' to continue: ")
    assert [dialect.answer(asked), dialect.answer(asked)] == ["yes", ""]
    asked += b"yes\r\nReally? Type 'yes' to continue: "
    assert dialect.answer(asked) == "yes"
    dialect.typed("no thing")
    assert dialect.answer(bytearray(b"no thing\r\nType 'yes' to continue: ")) == "yes"
    assert CliDialect(SessionFacts("cli")).answer(asked) == ""


def test_what_a_line_is_called_stands_for_it_in_messages(device: Target) -> None:
    with Session(device) as session, pytest.raises(TransportError) as told:
        session.run("wait", timeout=0.3, shown="wait for secret:env:KEY")
    assert "wait for secret:env:KEY: no end within its time" in str(told.value)
