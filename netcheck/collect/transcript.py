"""Transcripts of a session: one text with a prompt or ``# command`` before each output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from netcheck.model.document import Document
from netcheck.model.frozen import frozen

# Patterns are compiled when a text is split, so that linting an intent does not pay for them.
_IN_BRACKETS = r"^\[[\w.-]+@(?P<host>[\w.-]+)\s[^\]]*\][$#]\s+(?P<command>\S.*)$"
_PROMPTS = (
    # admin@leaf01:~$ show pfc priority      root@gpu01:/sys# cat mtu
    r"^\(?[\w.-]*\)?\s*[\w.-]+@(?P<host>[\w.-]+)[:\s][^\s$#>]*\s?[$#>]\s+(?P<command>\S.*)$",
    # [root@gpu01 ~]# mlnx_qos -i eth0
    _IN_BRACKETS,
    # leaf01# show version
    r"^(?P<host>[A-Za-z][\w.-]*)[#>]\s*(?P<command>(?:show|display|nv)\s.+)$",
)
_LONGEST_LINE = 2000
_MARKS = ("#", "$")
_SHOWS = ("show", "display", "nv")
# A bare mark is a comment in most files; it opens an output only before a command we know.
_BARE_PROMPT = r"^[#$]\s+(?P<command>(?:sudo\s+)?(?P<word>[\w./-]+)(?:\s.*)?)$"
_COMMAND_WORDS = (
    r"bridge|cat|cma_roce_mode|cma_roce_tos|config|dcb|devlink|dmesg|docker|echo|ecnconfig|env"
    r"|esxcfg-module|esxcli|ethtool|find|grep|hostname|ibdev2netdev|ibstat|ibv_devices|ibv_devinfo"
    r"|dump_fts|dump_lfts\.sh|dump_mlfts\.sh|ibhosts|iblinkinfo|ibnetdiscover|ibportstate"
    r"|ibqueryerrors|ibroute|ibswitches|ibtracert|perfquery|saquery|sminfo|smpquery"
    r"|ifconfig|intfutil|ip|lldpcli|lldpctl|lldptool|ls|lspci|mlnx_qos|mlnx_tune|mlxconfig|mlxlink"
    r"|mlxreg|mmuconfig|nstat|nv|pfcstat|pfcwd|pg-drop|printenv|queuestat|rdma|redis-cli|redis-dump"
    r"|show|show_gids|show_counters|sonic-cfggen|sonic-db-cli|sonic-db-dump|ss|sysctl|systemctl"
    r"|tail|tc|uname|vtysh|watermarkstat"
)


@frozen
class Part:
    """One command of a transcript with its output; ``host`` where the prompt names it."""

    document: Document
    host: str = ""


def split(document: Document) -> list[Part]:
    r"""Outputs of a transcript, each with its command; nothing where the text is none.

    Text before the first command is a part of its own when there is any.

    Example:
        >>> text = "admin@leaf01:~$ show pfc priority\nEthernet0  3\n"
        >>> [part] = split(Document("session.txt", text))
        >>> part.host, part.document.command, part.document.first_line
        ('leaf01', 'show pfc priority', 2)
    """
    if document.command or (document.text.lstrip()[:1] in {"{", "["} and _is_json(document.text)):
        return []
    lines = document.text.splitlines(keepends=True)
    heads = [(number, *head) for number, line in enumerate(lines) if (head := _head(line))]
    return list(_parts(document, lines, heads)) if heads else []


def _is_json(text: str) -> bool:
    """A text that starts as JSON does, and not as ``[root@host ~]#`` does."""
    return re.match(_IN_BRACKETS, text.lstrip().partition("\n")[0]) is None


def _head(line: str) -> tuple[str, str] | None:
    """Host and command of a line that opens an output."""
    # most lines of a large text lack what every such line has
    if line[:1] not in _MARKS and "@" not in line and not any(map(line.__contains__, _SHOWS)):
        return None
    if len(line) > _LONGEST_LINE:  # nobody types this, and the patterns would take long
        return None
    line = line.rstrip()
    for prompt in _PROMPTS:
        match = re.match(prompt, line)
        if match:
            return match["host"], match["command"]
    match = re.match(_BARE_PROMPT, line)
    if match and re.fullmatch(_COMMAND_WORDS, match["word"].rpartition("/")[2]):
        return "", match["command"]
    return None


def _parts(
    document: Document, lines: list[str], heads: list[tuple[int, str, str]]
) -> Iterator[Part]:
    first = heads[0][0]
    preamble = "".join(lines[:first])
    if preamble.strip():
        yield Part(replace(document, text=preamble))
    for (start, host, command), end in zip(
        heads, [head[0] for head in heads[1:]] + [len(lines)], strict=True
    ):
        output = replace(
            document,
            text="".join(lines[start + 1 : end]),
            command=command.removeprefix("sudo ").strip(),
            first_line=document.first_line + start + 1,
        )
        yield Part(output, host)
