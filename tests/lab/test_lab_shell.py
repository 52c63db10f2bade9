from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lab.devices.files import DeviceFileError
from tests.lab.labs import build, sh


@pytest.mark.parametrize(
    ("line", "output", "status"),
    [
        ("echo a b", "a b\n", 0),
        ("echo 'a  b' \"c d\"", "a  b c d\n", 0),
        ("false && echo no || echo yes", "yes\n", 0),
        ("true && echo yes; echo then", "yes\nthen\n", 0),
        ("false; echo $?", "1\n", 0),
        ("nosuch", "-bash: nosuch: command not found\n", 127),
        ("cat /nosuch", "cat: /nosuch: No such file or directory\n", 1),
        ("cat /nosuch 2>/dev/null || true", "", 0),
        ("nosuch 2>&1 | grep -c found", "1\n", 0),
        ("printf '%s\\n' b a | sort | head -1", "a\n", 0),
        ("echo netcheck | base64 | base64 -d", "netcheck\n", 0),
        ("echo abc | tr a-c A-C", "ABC\n", 0),
        ("echo x > /tmp/f; echo y >> /tmp/f; cat /tmp/f", "x\ny\n", 0),
        ("X=1; echo \"$X\" '$X' ${X}2", "1 $X 12\n", 0),
        ("echo $(echo inner | cat)", "inner\n", 0),
        ("echo one # two", "one\n", 0),
        ("set -eu; false; echo never", "", 1),
        ("set -u; echo $NOSUCH", "-bash: NOSUCH: unbound variable\n", 1),
        ("exit 7", "", 7),
        ("sh -c 'exit 3'; echo $?", "3\n", 0),
        ("(exit 4); echo $?", "4\n", 0),
        ("grep x /nosuch", "grep: /nosuch: No such file or directory\n", 2),
        ("test -f /etc/os-release && echo there", "there\n", 0),
        ("echo 'open", "-bash: unexpected EOF while looking for matching `''\n", 2),
        ("cat /sys/class/net/rail0/m?u", "1500\n", 0),
    ],
)
def test_the_shell_answers_as_bash_does(
    tmp_path: Path, line: str, output: str, status: int
) -> None:
    assert sh(build(tmp_path).devices["gpu01"], line) == (output, status)


def test_a_user_may_not_write_what_is_root_s(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    output, status = sh(host, "echo x > /etc/nccl.conf", user="admin")
    assert (output, status) == ("-bash: /etc/nccl.conf: Permission denied\n", 1)
    assert sh(host, "sudo sh -c 'echo x > /etc/nccl.conf'; cat /etc/nccl.conf", user="admin") == (
        "x\n",
        0,
    )


def test_no_path_leads_out_of_a_device(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    host = build(tmp_path / "lab").devices["gpu01"]
    (host.files.root / "root/link").symlink_to(tmp_path / "secret")
    output, status = sh(host, "cat /../../../../secret")
    assert (output, status) == ("cat: /../../../../secret: No such file or directory\n", 1)
    with pytest.raises(DeviceFileError, match="Permission denied"):
        host.files.read("/root/link")


def test_a_written_file_is_installed_with_its_mode(tmp_path: Path) -> None:
    host = build(tmp_path).devices["gpu01"]
    line = (
        "echo text > /tmp/new && sudo install -m 600 /tmp/new /etc/new.netcheck-new"
        " && sudo mv -f /etc/new.netcheck-new /etc/new && cat /etc/new"
    )
    assert sh(host, line, user="admin") == ("text\n", 0)
    assert host.files.real("/etc/new").stat().st_mode & 0o777 == 0o600
