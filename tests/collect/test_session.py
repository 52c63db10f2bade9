"""Sessions on a real shell: exact text, status, files, servers, failures."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from netcheck.collect.session import DeviceRefusedError, EndedEarlyError, Output, Session
from netcheck.model.errors import TransportError
from tests.collect.conftest import BashDevice


@pytest.mark.parametrize(
    ("line", "text", "status"),
    [
        ("printf 'one\\ntwo\\n'", "one\ntwo\n", 0),
        ("printf '\\n\\n  blanks  \\n\\n'", "\n\n  blanks  \n\n", 0),
        ("printf 'no end'", "no end", 0),
        ("true", "", 0),
        ("ls /nowhere 2>/dev/null", "", 2),
        ("sh -c 'exit 7'", "", 7),
        ("printf 'netcheck-status=0\\n'; false", "netcheck-status=0\n", 1),
        ("printf 'admin@device:~$ '", "admin@device:~$ ", 0),
        ("printf 'tab\\there\\n'", "tab\there\n", 0),
        ("printf '\\346\\227\\245\\377\\n'", "日\udcff\n", 0),
        ("printf 'dos\\r\\n'", "dos\r\n", 0),
        (f"printf %s {'x' * 3000}", "x" * 3000, 0),
    ],
)
def test_output_is_exact(bash_device: BashDevice, line: str, text: str, status: int) -> None:
    with Session(bash_device.target()) as session:
        assert session.run(line) == Output(text, status)


def test_commands_follow_each_other_without_mixing(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        texts = [session.run(f"echo {number}").text for number in range(20)]
    assert texts == [f"{number}\n" for number in range(20)]


LINES = (
    "printf 'one\\ntwo\\n'",
    "printf 'no end'",
    "true",
    "ls /nowhere 2>/dev/null",
    "sh -c 'exit 7' || true",
    "printf 'netcheck-status=0\\n'; false",
    "seq 1 20000",
    f"printf %s {'x' * 3000}",
    "printf 'admin@device:~$ '",
)


def test_commands_given_together_print_what_each_prints_alone(bash_device: BashDevice) -> None:
    many = [*LINES, *(f"echo {number}" for number in range(100))]
    with Session(bash_device.target()) as session:
        alone = [session.run(line) for line in many]
        assert list(session.run_each(many)) == alone
        assert session.run("echo next") == Output("next\n", 0)


def test_commands_given_together_share_a_line_of_the_terminal(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        before = bash_device.typed().count(b"\n")
        list(session.run_each([f"echo {number}" for number in range(40)]))
        assert bash_device.typed().count(b"\n") - before == 1


def test_what_came_before_a_command_that_hangs_is_given(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        outputs = session.run_each(["echo first", "echo second", "sleep 60"], timeout=1.0)
        assert [next(outputs).text, next(outputs).text] == ["first\n", "second\n"]
        with pytest.raises(TransportError, match="sleep 60: no end within its time"):
            next(outputs)


def test_a_large_output_arrives_whole(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        text = session.run("seq 1 200000", timeout=30).text
    assert text == "".join(f"{number}\n" for number in range(1, 200001))


def test_upload_puts_the_text_with_its_mode_and_leaves_nothing_beside(
    bash_device: BashDevice, tmp_path: Path
) -> None:
    path = tmp_path / "etc" / "netcheck.conf"
    path.parent.mkdir()
    with Session(bash_device.target()) as session:
        session.upload(str(path), "löss\nless", mode=0o640)
        session.upload(str(path), "second\n", mode=0o600)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("second\n", 0o600)
    assert [entry.name for entry in path.parent.iterdir()] == ["netcheck.conf"]


def test_upload_to_a_missing_folder_names_device_and_path(bash_device: BashDevice) -> None:
    with (
        Session(bash_device.target()) as session,
        pytest.raises(DeviceRefusedError, match=r"gpu01 .*/nowhere/file: cannot be written"),
    ):
        session.upload("/nowhere/file", "text")


def test_a_session_goes_on_after_the_device_refused_a_file(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        with pytest.raises(DeviceRefusedError):
            session.upload("/nowhere/file", "text")
        assert session.run("echo next") == Output("next\n", 0)


def test_a_server_is_started_awaited_and_finished(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        session.start("echo waiting; sleep 0.2; echo done")
        seen = session.wait_for(r"waiting\n", timeout=5)
        output = session.finish(timeout=5)
    assert seen.startswith("waiting\n")
    assert output == Output("waiting\ndone\n", 0)


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_a_server_that_ends_after_its_word_is_told_from_one_that_waits(
    bash_device: BashDevice, seconds: float
) -> None:
    with Session(bash_device.target()) as session:
        session.start("echo waiting; sleep 60")
        session.wait_for("waiting", 10.0)
        assert not session.ended_within(min(seconds, 0.1))
        session.interrupt()
        session.start("echo waiting; sleep 0.1; echo refused")
        session.wait_for("waiting", 10.0)
        time.sleep(0 if seconds else 1.0)
        assert session.ended_within(seconds)
        assert session.finish(1.0) == Output("waiting\nrefused\n", 0)
        assert session.run("echo on").text == "on\n"


def test_waiting_ends_with_the_command_and_quotes_it(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        session.start("echo first; echo failed to bind; false")
        with pytest.raises(EndedEarlyError, match="failed to bind") as ended:
            session.wait_for("listening", timeout=5)
    assert ended.value.printed == "first\nfailed to bind\n"


def test_an_interrupted_server_gives_its_output_and_the_session_goes_on(
    bash_device: BashDevice,
) -> None:
    with Session(bash_device.target()) as session:
        session.start("echo up; sleep 60")
        session.wait_for("up\n", timeout=5)
        assert session.interrupt(timeout=50) == Output("up\n", 130)
        assert session.run("echo next") == Output("next\n", 0)


def test_no_interrupt_is_lost_when_it_meets_the_shell_between_two_commands(
    bash_device: BashDevice,
) -> None:
    start = time.monotonic()
    with Session(bash_device.target()) as session:
        for _ in range(20):
            session.start("echo up; sleep 60")
            session.wait_for("up\n", timeout=5)
            assert session.interrupt(timeout=50) == Output("up\n", 130)
    assert time.monotonic() - start < 40


def test_a_command_that_does_not_end_is_given_up_in_time(bash_device: BashDevice) -> None:
    start = time.monotonic()
    with (
        Session(bash_device.target()) as session,
        pytest.raises(TransportError, match="sleep 60: no end within its time"),
    ):
        session.run("sleep 60", timeout=0.3)
    assert time.monotonic() - start < 5


def test_the_deadline_covers_all_commands_together(bash_device: BashDevice) -> None:
    with (
        Session(bash_device.target(), deadline_s=0.8) as session,
        pytest.raises(TransportError, match="no end within its time"),
    ):
        [session.run("sleep 0.3", timeout=5) for _ in range(10)]


def test_a_closed_connection_is_a_transport_error(bash_device: BashDevice) -> None:
    with (
        Session(bash_device.target()) as session,
        pytest.raises(TransportError, match="closed the connection"),
    ):
        session.run("kill -9 $$", timeout=5)


def test_a_line_break_in_a_command_is_refused_and_nothing_is_sent(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        before = bash_device.typed()
        with pytest.raises(ValueError, match="control character"):
            session.run("show version\nreboot")
    assert bash_device.typed() == before


def test_a_wrong_password_names_the_place_and_not_the_password(
    bash_device: BashDevice, tmp_path: Path
) -> None:
    (tmp_path / "password").write_text("marker-wrong-secret")
    target = replace(bash_device.target(), password=f"file:{tmp_path / 'password'}")
    with pytest.raises(TransportError, match=r"gpu01 127\.0\.0\.1") as caught:
        Session(target)
    assert "marker" not in repr(caught.value) + str(caught.value.__cause__)


def test_nobody_listening_is_a_transport_error(bash_device: BashDevice) -> None:
    closed = replace(bash_device.target(), port=9)
    with pytest.raises(TransportError, match=r"127\.0\.0\.1:9: TCP connection to device failed"):
        Session(closed)


def test_a_host_key_that_is_not_known_is_refused_where_keys_are_given(
    bash_device: BashDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "known_hosts").write_text("")
    monkeypatch.setenv("NETCHECK_KNOWN_HOSTS", str(tmp_path / "known_hosts"))
    with pytest.raises(TransportError, match="not found in known_hosts"):
        Session(bash_device.target())


def test_a_session_opens_without_waiting_for_the_clock(bash_device: BashDevice) -> None:
    times = []
    for _ in range(4):
        start = time.monotonic()
        with Session(bash_device.target()) as session:
            session.run("true")
        times.append(time.monotonic() - start)
    assert min(times) < 0.5  # Netmiko's own login waits for 0.5 s and more


def test_a_cipher_that_checks_itself_is_asked_for_first(bash_device: BashDevice) -> None:
    with Session(bash_device.target()) as session:
        transport = session._channel.get_transport()
        assert vars(transport)["remote_cipher"].endswith("-gcm@openssh.com")


def test_a_session_that_was_idle_answers_and_closes_at_once(bash_device: BashDevice) -> None:
    session = Session(bash_device.target())
    time.sleep(0.3)  # longer than Paramiko's own pause between two looks at the connection
    used = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - used < 0.05
    assert session.run("echo here") == Output("here\n", 0)
    start = time.monotonic()
    session.close()
    assert time.monotonic() - start < 5
