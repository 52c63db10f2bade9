"""Programs that read text and write text."""

from __future__ import annotations

import base64
import binascii
import hashlib
import posixpath
import re
from collections.abc import Awaitable, Callable, Iterator

from netcheck.lab.devices.files import ENCODING, DeviceFileError
from netcheck.lab.devices.options import UnknownOptionError, split_options
from netcheck.lab.devices.shell import Call, Program

USAGE = 2
WRAP = 76


async def _inputs(call: Call, names: list[str]) -> tuple[list[tuple[str, str]], int]:
    """Give ``(name, text)`` of the named files, or of standard input, and a status."""
    if not names:
        return [("-", await call.streams.read())], 0
    found, status = [], 0
    for name in names:
        try:
            text = (
                await call.streams.read()
                if name == "-"
                else call.shell.files.read(call.shell.path(name))
            )
            found.append((name, text))
        except DeviceFileError as error:
            status = call.fail(f"{call.words[0]}: {name}: {error}")
    return found, status


async def cat(call: Call) -> int:
    """Print files."""
    inputs, status = await _inputs(call, [name for name in call.arguments if name != "-u"])
    for _, text in inputs:
        call.out(text)
    return status


def echo(call: Call) -> int:
    """Print words."""
    words = list(call.arguments)
    end, escapes = "\n", False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        end = "" if "n" in words[0] else end
        escapes = escapes or "e" in words[0]
        words.pop(0)
    text = " ".join(words)
    call.out((_unescaped(text) if escapes else text) + end)
    return 0


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def _unescaped(text: str) -> str:
    return re.sub(r"\\([ntr\\])", lambda match: _ESCAPES[match[1]], text)


def printf(call: Call) -> int:
    """Print by a format with %s, %d and %%."""
    if not call.arguments:
        return call.fail("printf: usage: printf [-v var] format [arguments]", USAGE)
    layout, *values = call.arguments
    layout = _unescaped(layout)
    count = len(re.findall(r"%[sd]", layout))
    rounds = [values[i : i + count] for i in range(0, len(values), count)] if count else [[]]
    for given in rounds or [[]]:
        call.out(_filled(layout, given))
    return 0


def _filled(layout: str, values: list[str]) -> str:
    row = iter(values)

    def value(match: re.Match[str]) -> str:
        return "%" if match[0] == "%%" else next(row, "")

    return re.sub(r"%[sd%]", value, layout)


async def grep(call: Call) -> int:
    """Print lines that match; statuses 0, 1 (none) and 2 (trouble) as GNU grep has them."""
    try:
        options, names = split_options(
            call.arguments, flags="rRiHhnvcqsEFowxlaI", valued="emAB", long=("color=", "colour=")
        )
    except UnknownOptionError as error:
        return call.fail(f"grep: {error}", USAGE)
    if "e" in options:
        pattern = options["e"]
    elif names:
        pattern = names.pop(0)
    else:
        return call.fail("Usage: grep [OPTION]... PATTERNS [FILE]...", USAGE)
    expression = _expression(pattern, options)
    if expression is None:
        return call.fail("grep: Unmatched [, [^, [:, [., or [=", USAGE)
    search = _Search(call, options, expression)
    return await search.run(names)


def _expression(pattern: str, options: dict[str, str]) -> re.Pattern[str] | None:
    if "F" in options:
        pattern = re.escape(pattern)
    elif "E" not in options:
        # basic expressions: the bare characters are literal and the escaped ones special
        pattern = re.sub(r"\\([|+?(){}])|([|+?(){}])", _swapped, pattern)
    pattern = "|".join(pattern.split("\n"))
    if "w" in options:
        pattern = rf"\b(?:{pattern})\b"
    if "x" in options:
        pattern = f"^(?:{pattern})$"
    try:
        return re.compile(pattern, re.IGNORECASE if "i" in options else 0)
    except re.error:
        return None


def _swapped(match: re.Match[str]) -> str:
    return match[1] or "\\" + match[2]


class _Search:
    def __init__(self, call: Call, options: dict[str, str], expression: re.Pattern[str]) -> None:
        self.call = call
        self.options = options
        self.expression = expression
        self.hits = 0
        self.has_trouble = False

    async def run(self, names: list[str]) -> int:
        recursive = "r" in self.options or "R" in self.options
        files = list(self._files(names, recursive=recursive)) if names else []
        shows_name = "H" in self.options or ((len(files) > 1 or recursive) and names)
        shows_name = bool(shows_name) and "h" not in self.options
        if not names:
            self._search("(standard input)", await self.call.streams.read(), shows_name=shows_name)
        for name in files:
            self._search_file(name, shows_name=shows_name)
        if self.has_trouble and not ("q" in self.options and self.hits):
            return USAGE
        return 0 if self.hits else 1

    def _files(self, names: list[str], *, recursive: bool) -> Iterator[str]:
        tree, shell = self.call.shell.files, self.call.shell
        for name in names:
            path = shell.path(name)
            if not tree.is_folder(path):
                yield name
            elif recursive:
                yield from (name.rstrip("/") + found[len(path) :] for found in tree.walk(path))
            else:
                self._trouble(name, "Is a directory")

    def _trouble(self, name: str, reason: str) -> None:
        self.has_trouble = True
        if "s" not in self.options:
            self.call.err(f"grep: {name}: {reason}\n")

    def _search_file(self, name: str, *, shows_name: bool) -> None:
        try:
            text = self.call.shell.files.read(self.call.shell.path(name))
        except DeviceFileError as error:
            self._trouble(name, error.reason)
            return
        self._search(name, text, shows_name=shows_name)

    def _search(self, name: str, text: str, *, shows_name: bool) -> None:
        prefix = f"{name}:" if shows_name else ""
        wants = "v" not in self.options
        lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []
        found = [
            (number, line)
            for number, line in enumerate(lines, 1)
            if bool(self.expression.search(line)) is wants
        ]
        if "m" in self.options:
            found = found[: int(self.options["m"])]
        self.hits += len(found)
        if "q" in self.options:
            return
        if "c" in self.options:
            self.call.out(f"{prefix}{len(found)}\n")
        elif "l" in self.options:
            self.call.out(f"{name}\n" if found else "")
        else:
            self._print(prefix, found)

    def _print(self, prefix: str, found: list[tuple[int, str]]) -> None:
        for number, line in found:
            shown = f"{number}:" if "n" in self.options else ""
            parts = [match[0] for match in self.expression.finditer(line)]
            for part in parts if "o" in self.options else [line]:
                self.call.out(f"{prefix}{shown}{part}\n")


def _count(call: Call) -> tuple[int, list[str]] | None:
    words = [f"-n{word[1:]}" if re.fullmatch(r"-\d+", word) else word for word in call.arguments]
    try:
        options, names = split_options(words, valued="nc", flags="fq")
        return int(options.get("n", options.get("c", "10"))), names
    except ValueError:
        return None


def _cut_lines(
    choose: Callable[[list[str], int], list[str]],
) -> Callable[[Call], Awaitable[int]]:
    async def program(call: Call) -> int:
        wanted = _count(call)
        if wanted is None:
            return call.fail(f"{call.words[0]}: invalid number of lines")
        count, names = wanted
        inputs, status = await _inputs(call, names)
        for _, text in inputs:
            call.out("".join(choose(text.splitlines(keepends=True), count)))
        return status

    return program


head = _cut_lines(lambda lines, count: lines[:count])
tail = _cut_lines(lambda lines, count: lines[-count:] if count else [])


async def sort(call: Call) -> int:
    """Sort lines; -u, -n, -r."""
    try:
        options, names = split_options(call.arguments, flags="unrV", valued="kt")
    except UnknownOptionError as error:
        return call.fail(f"sort: {error}", USAGE)
    inputs, status = await _inputs(call, names)
    lines = [line for _, text in inputs for line in text.splitlines()]
    lines = sorted(set(lines) if "u" in options else lines)
    if "n" in options:
        lines.sort(key=_leading_number)
    if "r" in options:
        lines.reverse()
    call.out("".join(f"{line}\n" for line in lines))
    return status


def _leading_number(line: str) -> float:
    found = re.match(r"\s*(-?\d+(?:\.\d+)?)", line)
    return float(found[1]) if found else 0.0


async def uniq(call: Call) -> int:
    """Drop repeated lines."""
    lines = (await call.streams.read()).splitlines()
    kept = [line for place, line in enumerate(lines) if not place or line != lines[place - 1]]
    call.out("".join(f"{line}\n" for line in kept))
    return 0


async def tr(call: Call) -> int:
    """Replace, delete (-d) or squeeze (-s) characters."""
    options, names = split_options(call.arguments, flags="dsc")
    if not names:
        return call.fail("tr: missing operand")
    text = await call.streams.read()
    first = _characters(names[0])
    if "d" in options:
        call.out("".join(character for character in text if character not in first))
        return 0
    second = _characters(names[1]) if len(names) > 1 else first
    if second:
        second += second[-1] * (len(first) - len(second))
        text = text.translate(str.maketrans(first, second[: len(first)]))
    if "s" in options:
        for character in set(second):
            text = re.sub(f"({re.escape(character)})\\1+", r"\1", text)
    call.out(text)
    return 0


def _characters(text: str) -> str:
    text = _unescaped(text)
    return re.sub(
        r"(.)-(.)",
        lambda match: "".join(chr(code) for code in range(ord(match[1]), ord(match[2]) + 1)),
        text,
    )


async def base64_program(call: Call) -> int:
    """Encode or decode (-d)."""
    options, names = split_options(call.arguments, flags="di", valued="w", long=("decode", "wrap="))
    inputs, status = await _inputs(call, names)
    data = "".join(text for _, text in inputs).encode(*ENCODING)
    if "d" in options or "decode" in options:
        try:
            call.out(base64.b64decode(data).decode(*ENCODING))
        except binascii.Error:
            return call.fail("base64: invalid input")
        return status
    width = int(options.get("w", options.get("wrap", WRAP)))
    text = base64.b64encode(data).decode()
    rows = [text[place : place + width] for place in range(0, len(text), width)] if width else []
    call.out("".join(f"{row}\n" for row in rows) if width else text)
    return status


async def wc(call: Call) -> int:
    """Count lines, words, bytes."""
    options, names = split_options(call.arguments, flags="lwc")
    inputs, status = await _inputs(call, names)
    for name, text in inputs:
        counts = {"l": text.count("\n"), "w": len(text.split()), "c": len(text.encode(*ENCODING))}
        shown = [str(counts[key]) for key in "lwc" if key in options or not options]
        call.out(" ".join(shown) + (f" {name}" if names else "") + "\n")
    return status


async def tee(call: Call) -> int:
    """Copy standard input to files and to standard output."""
    options, names = split_options(call.arguments, flags="a")
    text = await call.streams.read()
    status = 0
    for name in names:
        try:
            call.shell.files.write(
                call.shell.path(name), text, user=call.shell.user, appends="a" in options
            )
        except DeviceFileError as error:
            status = call.fail(f"tee: {name}: {error}")
    call.out(text)
    return status


async def sha256sum(call: Call) -> int:
    """Print SHA-256 digests."""
    inputs, status = await _inputs(call, list(call.arguments))
    for name, text in inputs:
        call.out(f"{hashlib.sha256(text.encode(*ENCODING)).hexdigest()}  {name}\n")
    return status


async def cut(call: Call) -> int:
    """Print fields of lines; -d and -f."""
    options, names = split_options(call.arguments, valued="df", flags="s")
    delimiter = options.get("d", "\t")
    wanted = [int(part) for part in options.get("f", "1").split(",") if part.isdigit()]
    inputs, status = await _inputs(call, names)
    for line in (line for _, text in inputs for line in text.splitlines()):
        fields = line.split(delimiter)
        call.out(delimiter.join(fields[n - 1] for n in wanted if n <= len(fields)) + "\n")
    return status


def basename(call: Call) -> int:
    """Print the last part of a path."""
    call.out(posixpath.basename(call.arguments[0]) + "\n" if call.arguments else "")
    return 0 if call.arguments else call.fail("basename: missing operand")


PROGRAMS: dict[str, Program] = {
    "cat": cat,
    "echo": echo,
    "printf": printf,
    "grep": grep,
    "egrep": grep,
    "head": head,
    "tail": tail,
    "sort": sort,
    "uniq": uniq,
    "tr": tr,
    "base64": base64_program,
    "wc": wc,
    "tee": tee,
    "sha256sum": sha256sum,
    "cut": cut,
    "basename": basename,
}
