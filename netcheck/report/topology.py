"""A fabric drawn by tiers as inline SVG: one box a device, or a box for many that are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from netcheck.model.device import Device
from netcheck.model.fabric import Fabric
from netcheck.model.known import is_known
from netcheck.model.paths import tier_of
from netcheck.model.shortened import compress, natural_key

Key = tuple[str, ...]
GAP: Final = 12
BOX_HEIGHT: Final = 64
ROW_GAP: Final = 16
TIER_GAP: Final = 52
LETTER: Final = 8.6  # width of a letter of the name, at most
SMALL_LETTER: Final = 6.6
NAMED: Final = 64  # devices that one box names at most


@dataclass(frozen=True, slots=True)
class Mark:
    """How a device came out: a CSS class, and words such as ``2 errors``."""

    style: str
    words: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Canvas:
    """Room to draw in: width in pixels, boxes in a row, rows of a tier before boxes are merged."""

    name: str
    width: int
    columns: int
    rows: int

    @property
    def box_width(self) -> float:
        """Width of one box."""
        return (self.width - GAP * (self.columns + 1)) / self.columns


WIDE: Final = Canvas("wide", 920, 6, 3)
NARROW: Final = Canvas("narrow", 340, 2, 4)


@dataclass(frozen=True, slots=True)
class Box:
    """One or many devices that are drawn alike; ``role`` is empty where they differ."""

    devices: tuple[str, ...]
    kind: str
    mark: Mark
    role: str = ""
    x: float = 0.0
    y: float = 0.0

    @property
    def words(self) -> str:
        """The devices in a few words."""
        many = len(self.devices)
        if many <= NAMED:
            return compress(self.devices)
        return self.number

    @property
    def number(self) -> str:
        """How many devices of which role."""
        role = self.role or "device"
        return f"{len(self.devices)} {'leaves' if role == 'leaf' else role + 's'}"


def draw(fabric: Fabric, marks: Mapping[str, Mark], canvas: Canvas) -> str:
    """The fabric as one SVG element, highest tier on top.

    A tier that does not fit is drawn in boxes of devices that are alike, so the
    drawing is as large for ten thousand devices as for fifty.

    Args:
        marks: How each device came out; a device without one is drawn plain.
    """
    tiers: dict[int, list[str]] = {}
    for name in fabric.devices:
        tiers.setdefault(tier_of(fabric, name), []).append(name)
    y = float(GAP)
    boxes: list[Box] = []
    for tier in sorted(tiers, reverse=True):
        merged = _merged(fabric, tiers[tier], marks, canvas)
        boxes += _placed(merged, canvas, y)
        rows = -(-len(merged) // canvas.columns)
        y += rows * BOX_HEIGHT + (rows - 1) * ROW_GAP + TIER_GAP
    height = y - TIER_GAP + GAP
    body = "\n".join([*_cables(fabric, boxes, canvas), *(_box(box, canvas) for box in boxes)])
    title = f"{len(fabric.devices)} devices in {len(tiers)} tiers"
    return (
        f'<svg class="{canvas.name}" viewBox="0 0 {canvas.width} {height:g}" role="img"'
        f' aria-label="{title}"><title>{title}</title>\n{body}\n</svg>'
    )


def _merged(
    fabric: Fabric, names: Sequence[str], marks: Mapping[str, Mark], canvas: Canvas
) -> list[Box]:
    """Boxes of one tier: the finest grouping that fits."""
    found: list[Box] = []
    is_few = len(names) <= canvas.columns * canvas.rows
    for key in list(_groupings(fabric, marks))[0 if is_few else 1 :]:
        groups: dict[Key, list[str]] = {}
        for name in names:
            groups.setdefault(key(name), []).append(name)
        found = [_group(fabric, members, marks) for members in groups.values()]
        if len(found) <= canvas.columns * canvas.rows:
            break
    return sorted(found, key=lambda box: natural_key(box.devices[0]))


def _groupings(fabric: Fabric, marks: Mapping[str, Mark]) -> Iterator[Callable[[str], Key]]:
    """Ways to put devices into boxes, the finest first."""

    def kind(name: str) -> str:
        return kind_of(fabric.devices[name])

    def style(name: str) -> str:
        return marks[name].style if name in marks else ""

    def pod(name: str) -> str:
        return str(fabric.devices[name].pod)

    def role(name: str) -> str:
        return str(fabric.devices[name].role)

    yield lambda name: (name,)
    yield lambda name: (pod(name), role(name), kind(name), style(name))
    yield lambda name: (role(name), kind(name), style(name))
    yield lambda name: (role(name), style(name))


def kind_of(device: Device) -> str:
    """Platform and model of a device, in a few words; empty where neither is known."""
    return " ".join(str(fact) for fact in (device.platform, device.model) if is_known(fact))


def _group(fabric: Fabric, members: Sequence[str], marks: Mapping[str, Mark]) -> Box:
    kinds = {kind_of(fabric.devices[name]) for name in members}
    roles = {str(fabric.devices[name].role) for name in members}
    worst = max((marks[name] for name in members if name in marks), key=_rank, default=Mark(""))
    if len(members) > 1:
        bad = sum(name in marks and marks[name].style == worst.style for name in members)
        worst = Mark(worst.style, f"{bad} {WORDS[worst.style]}" if worst.style in WORDS else "")
    kind = kinds.pop() if len(kinds) == 1 else f"{len(kinds)} kinds"
    return Box(tuple(members), kind, worst, roles.pop() if len(roles) == 1 else "")


WORDS: Final = {"error": "with errors", "warning": "with warnings", "open": "without data"}


def _rank(mark: Mark) -> int:
    return mark.rank


def _placed(boxes: Sequence[Box], canvas: Canvas, y: float) -> Iterator[Box]:
    """Boxes in rows, each row in the middle."""
    step = canvas.box_width + GAP
    for place, box in enumerate(boxes):
        row, column = divmod(place, canvas.columns)
        in_row = min(canvas.columns, len(boxes) - row * canvas.columns)
        left = (canvas.width - in_row * step + GAP) / 2
        yield replace(box, x=left + column * step, y=y + row * (BOX_HEIGHT + ROW_GAP))


def _cables(fabric: Fabric, boxes: Sequence[Box], canvas: Canvas) -> Iterator[str]:
    """One line for all cables between two boxes; wider for more, up to a limit."""
    box_of = {name: number for number, box in enumerate(boxes) for name in box.devices}
    counted: dict[tuple[int, int], int] = {}
    for link in fabric.links:
        ends = (box_of.get(link.a.device, -1), box_of.get(link.b.device, -1))
        if -1 not in ends and ends[0] != ends[1]:
            pair = (min(ends), max(ends))
            counted[pair] = counted.get(pair, 0) + 1
    for (upper, lower), cables in sorted(counted.items()):
        a, b = boxes[upper], boxes[lower]
        middle = canvas.box_width / 2
        bottom = a.y + BOX_HEIGHT if a.y != b.y else a.y + BOX_HEIGHT / 2
        top = b.y if a.y != b.y else b.y + BOX_HEIGHT / 2
        word = "cable" if cables == 1 else "cables"
        label = f"{a.words} - {b.words}: {cables} {word}"
        yield (
            f'<line x1="{a.x + middle:.1f}" y1="{bottom:.1f}" x2="{b.x + middle:.1f}"'
            f' y2="{top:.1f}" stroke-width="{min(1 + cables / 8, 4):g}">'
            f"<title>{escape(label)}</title></line>"
        )


def _box(box: Box, canvas: Canvas) -> str:
    many = len(box.devices)
    name = box.words
    if many > 1 and len(name) > canvas.box_width / LETTER:
        name = box.number
    name = _fitting(name, canvas.box_width / LETTER)
    kind = box.kind
    lines = [("name", name), ("kind", _fitting(kind, canvas.box_width / SMALL_LETTER))]
    if box.mark.words:
        lines.append(("found", _fitting(box.mark.words, canvas.box_width / SMALL_LETTER)))
    middle = box.x + canvas.box_width / 2
    texts = "".join(
        f'<text class="{style}" x="{middle:.1f}" y="{box.y + 22 + 17 * row:.1f}">'
        f"{escape(text)}</text>"
        for row, (style, text) in enumerate(lines)
        if text
    )
    drawn = (
        f'<g class="box {box.mark.style}"><title>{escape(box.words)}</title><rect x="{box.x:.1f}"'
        f' y="{box.y:.1f}" width="{canvas.box_width:.1f}" height="{BOX_HEIGHT}" rx="6"/>{texts}</g>'
    )
    if many == 1 and box.mark.words:
        return f'<a href="#{anchor(box.devices[0])}">{drawn}</a>'
    return drawn


def anchor(device: str) -> str:
    """Name of the place on the page that tells of a device."""
    return "device-" + "".join(one if one.isalnum() else f"-{ord(one):x}-" for one in device)


def _fitting(text: str, letters: float) -> str:
    most = int(letters)
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"
