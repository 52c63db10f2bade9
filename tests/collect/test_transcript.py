import pytest

from netcheck.collect.transcript import split
from netcheck.model.document import Document


@pytest.mark.parametrize(
    ("head", "host", "command"),
    [
        ("admin@leaf01:~$ show pfc priority", "leaf01", "show pfc priority"),
        ("root@gpu01:/sys/class/net# cat mtu", "gpu01", "cat mtu"),
        ("[root@gpu01 ~]# mlnx_qos -i rail0", "gpu01", "mlnx_qos -i rail0"),
        ("leaf01# show version", "leaf01", "show version"),
        ("# cat /sys/class/net/rail0/mtu", "", "cat /sys/class/net/rail0/mtu"),
        ("$ sudo ethtool -S rail0", "", "ethtool -S rail0"),
    ],
)
def test_a_prompt_opens_an_output(head: str, host: str, command: str) -> None:
    [part] = split(Document("session.txt", f"{head}\none\ntwo\n"))
    assert (part.host, part.document.command) == (host, command)
    assert (part.document.text, part.document.first_line) == ("one\ntwo\n", 2)


@pytest.mark.parametrize(
    "text",
    [
        "# PG lossless profiles.\n# speed cable size xon xoff\n 40000 5m 1 2 3\n",
        "# netcheck: ignore some-rule -- known\nNCCL_IB_TC=104\n",
        '{\n "# cat x": {}\n}\n',
        "! comment\nhostname leaf01\n",
        "",
    ],
)
def test_comments_are_no_prompts(text: str) -> None:
    assert split(Document("file.txt", text)) == []


def test_text_before_the_first_command_is_kept() -> None:
    parts = split(Document("session.txt", "captured today\n$ ip link\n1: lo\n"))
    assert [part.document.text for part in parts] == ["captured today\n", "1: lo\n"]


def test_a_line_that_nobody_typed_is_read_at_once() -> None:
    assert split(Document("dump.txt", "x" * 5_000_000)) == []
