"""What faults do to an InfiniBand subnet of the lab: its managers' files, its links, its ports.

A change of files is what an operator's would be: the files are written on the
managers' hosts, where the lab has them, and read by the running OpenSM.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from typing import Any, Final

import yaml

from netcheck.lab.building import Building
from netcheck.lab.devices.opensm.host import ManagerHost
from netcheck.lab.devices.opensm.unit import FOLDER
from netcheck.lab.fault_changes import Done, FaultError, Values
from netcheck.lab.subnets.running import RunningSubnet
from netcheck.lossless.credits.fabric import End, Flow, Wear
from netcheck.lossless.credits.paths import way_of

CONF, PARTITIONS = "opensm.conf", "partitions.conf"
SERVICE_LEVELS, DROPS = 16, 15
WIDTH_CODES: Final = {1: 1, 4: 2, 8: 4, 12: 8}
DEFAULT_KEY = 0x7FFF
TRIES = 3  # an answer of the simulator may be another call's
STATEMENT = re.compile(r"[^;]*;", re.DOTALL)
_KEY = re.compile(r"=\s*(0x[0-9a-fA-F]+)")
_GUID = re.compile(r"^\s*(0x[0-9a-fA-F]{5,16})\s*(?:=\s*\w+)?\s*,?", re.MULTILINE)
_NUMBER = re.compile(r"(\d+)$")

Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class SubnetFault:
    """One row of the registry; ``at`` says where it goes when no place is named."""

    change: str
    at: str
    text: str
    is_silent: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)  # arguments differ by change


@cache
def subnet_faults() -> Mapping[str, SubnetFault]:
    """Give ``name -> fault``, in the order of the data file."""
    text = resources.files("netcheck.lab").joinpath("subnet_faults.yaml").read_text("utf-8")
    return {name: SubnetFault(**row) for name, row in yaml.safe_load(text).items()}


def inject(building: Building, name: str, device: str | None, port: str | None) -> Done:
    """Put a fault into the subnet that a device is in, or into the first.

    Raises:
        FaultError: No subnet runs, there is no such place, or the fault does not fit there.
    """
    fault = subnet_faults()[name]
    if not building.subnets:
        raise FaultError(f"fault {name}: no InfiniBand subnet runs in this lab")
    if fault.at == "manager":
        subnet = next(iter(building.subnets.values()))
        return FILES[fault.change](building, subnet, device)
    subnet, end = _place(building, fault, device, port)
    return LINKS[fault.change](subnet, end, fault.values)


# Places


def _place(
    building: Building, fault: SubnetFault, device: str | None, port: str | None
) -> tuple[RunningSubnet, End]:
    for subnet in building.subnets.values():
        ends = [end for end in _ends(subnet) if device in (None, _name(subnet, end))]
        if port is not None:
            ends = [end for end in ends if _is_port(building, subnet, end, port)]
        if ends and (device is not None or port is not None):
            return subnet, ends[0]
        if ends:
            return subnet, _usual(building, subnet, ends, fault.at)
    raise FaultError(f"{device or 'subnet'} {port or ''}: no cabled InfiniBand port of that name")


def _ends(subnet: RunningSubnet) -> list[End]:
    return sorted(subnet.simulated.network.cables)


def _name(subnet: RunningSubnet, end: End) -> str:
    return subnet.simulated.network.device(end[0])


def _is_port(building: Building, subnet: RunningSubnet, end: End, port: str) -> bool:
    """Whether a port has that name: a number of a switch, an adapter or its interface."""
    host = building.devices.get(_name(subnet, end))
    for hca in getattr(host, "hcas", {}).values():
        if port in (hca.name, hca.netdev) and hca.number == end[1]:
            return True
    found = _NUMBER.search(port)
    return end[0].startswith("S-") and found is not None and int(found[1]) == end[1]


def _usual(building: Building, subnet: RunningSubnet, ends: list[End], at: str) -> End:
    cables = subnet.simulated.network.cables
    between = [end for end in ends if end[0][:2] == cables[end][0][:2] == "S-"]
    hosts = [name for name in building.devices if building.is_host(name)]
    to_hosts = [end for end in ends if end[0].startswith("S-") and end not in between]
    tested = [end for end in to_hosts if _name(subnet, cables[end]) in hosts] or to_hosts
    # the last host that is no manager's, so that it sends as well as receives
    plain = [end for end in tested if subnet.plan(_name(subnet, cables[end])) is None]
    last = max(plain or tested, key=lambda end: _name(subnet, cables[end]))
    if at != "between" or not between:
        return last
    first = min(plain or tested, key=lambda end: _name(subnet, cables[end]))
    return next(
        (end for end in _on_way(subnet, cables[first], cables[last]) if end in between), last
    )


def _on_way(subnet: RunningSubnet, source: End, target: End) -> list[End]:
    """Ports that packets from one adapter to another leave by."""
    fabric = subnet.fabric()
    lid = subnet.view.lids.get(target, 0)
    found = way_of(fabric, Flow("", source, target, lid)) if source[0] in fabric.nodes else None
    return [hop.egress for hop in found.hops] if found else []


def _shown(subnet: RunningSubnet, end: End) -> str:
    return f"{_name(subnet, end)} port {end[1]}"


# Links and ports


def _worn(subnet: RunningSubnet, end: End, values: Values) -> Done:
    wear = Wear(
        float(values["symbols_per_s"]),
        float(values["loss_share"]),
        float(values["recoveries_per_s"]),
    )
    subnet.worn[end] = wear

    def undo() -> None:
        subnet.worn.pop(end, None)

    says = (
        f"link into {_shown(subnet, end)}: {wear.symbols_per_s:g} symbol errors a second,"
        f" {100 * wear.loss_share:g} % of the packets lost"
    )
    return Done(says, undo)


def _stalled(subnet: RunningSubnet, end: End, values: Values) -> Done:
    del values
    subnet.stalled.add(end)
    far = subnet.simulated.network.cables[end]
    says = f"{_shown(subnet, far)} gives no credits to {_shown(subnet, end)} any more"
    return Done(says, lambda: subnet.stalled.discard(end))


def _narrow(subnet: RunningSubnet, end: End, values: Values) -> Done:
    was = _width(subnet, end)
    wanted = int(values["width"])
    if was <= wanted:
        raise FaultError(f"{_shown(subnet, end)}: runs on {was} lanes already")
    _set_width(subnet, end, wanted)
    says = f"link at {_shown(subnet, end)}: {wanted} of {was} lanes"
    return Done(says, lambda: _set_width(subnet, end, was))


def _width(subnet: RunningSubnet, end: End) -> int:
    state = subnet.fresh().widths.get(end)
    if state is None:
        raise FaultError(f"{_shown(subnet, end)}: the link is down")
    return state


def _set_width(subnet: RunningSubnet, end: End, lanes: int) -> None:
    code = str(WIDTH_CODES.get(lanes, 1))
    ends = (end, subnet.simulated.network.cables[end])  # the simulator negotiates nothing
    places = [(str(subnet.view.lids[one]), str(one[1])) for one in ends]
    calls = [("ibportstate", lid, number, "width", code) for lid, number in places]
    for _ in range(TRIES):
        answers = subnet.simulated.diags.run_all(calls)
        subnet.refresh()
        if all(subnet.view.widths.get(one) == lanes for one in ends):
            return
    told = " ".join(answer.text.strip() for answer in answers if answer.status)
    raise FaultError(f"{_shown(subnet, end)}: does not run on {lanes} lanes {told}")


LINKS: Mapping[str, Callable[[RunningSubnet, End, Values], Done]] = {
    "worn": _worn,
    "narrow": _narrow,
    "stalled": _stalled,
}

# Files of the managers


def _changed(
    building: Building, subnet: RunningSubnet, change: Callable[[Files], Files]
) -> Callable[[], None]:
    """Change the files that every manager holds; give the way back."""
    before = {name: dict(files) for name, files in subnet.loaded.items()}
    _give(building, subnet, {name: change(dict(files)) for name, files in before.items()})
    return lambda: _give(building, subnet, before)


def _give(building: Building, subnet: RunningSubnet, files: Mapping[str, Files]) -> None:
    for name, own in files.items():
        host = building.devices.get(name)
        if isinstance(host, ManagerHost):
            for file, text in own.items():
                host.files.write(f"{FOLDER}/{file}", text, user="root")
    subnet.give(files)


def _held(subnet: RunningSubnet, file: str) -> str:
    """A file that the first manager holds."""
    return next((files[file] for files in subnet.loaded.values() if file in files), "")


def _table(subnet: RunningSubnet) -> list[int]:
    """Lane of each service level, as the managers' files say."""
    found = re.findall(r"^\s*qos_sl2vl\s+([\d,]+)", _held(subnet, CONF), re.MULTILINE)
    lanes = [int(one) for one in found[-1].split(",") if one] if found else []
    if not any(lanes):
        raise FaultError(f"subnet {subnet.name}: its managers hold no lanes but 0 (qos_sl2vl)")
    return (lanes + [0] * SERVICE_LEVELS)[:SERVICE_LEVELS]


def _with_options(files: Files, options: Mapping[str, str]) -> Files:
    """Set options of the configuration: the last of equal keys counts."""
    lines = [f"{key} {value}" for key, value in options.items()]
    text = files.get(CONF, "").rstrip("\n")
    return {**files, CONF: "\n".join([text, "# changed by hand", *lines, ""])}


def _sl_to_vl15(building: Building, subnet: RunningSubnet, device: str | None) -> Done:
    del device
    lanes = _table(subnet)
    level = max(n for n, lane in enumerate(lanes) if lane)
    lanes[level] = DROPS
    options = {"qos": "TRUE", "qos_sl2vl": ",".join(map(str, lanes))}
    undo = _changed(building, subnet, lambda files: _with_options(files, options))
    return Done(f"subnet {subnet.name}: service level {level} leads to lane {DROPS}", undo)


def _no_weight(building: Building, subnet: RunningSubnet, device: str | None) -> Done:
    del device
    lane = max(_table(subnet))
    text = _held(subnet, CONF)
    found = re.findall(r"^\s*qos_vlarb_low\s+(\S+)", text, re.MULTILINE)
    entries = found[-1].split(",") if found else [f"{n}:{64}" for n in range(lane + 1)]
    low = [f"{lane}:0" if one.partition(":")[0] == str(lane) else one for one in entries]
    options = {
        "qos": "TRUE",
        "qos_vlarb_high": "0:4" if lane else "1:4",
        "qos_vlarb_low": ",".join(low),
    }
    undo = _changed(building, subnet, lambda files: _with_options(files, options))
    return Done(f"subnet {subnet.name}: lane {lane} has no weight in either table", undo)


def _partition(building: Building, subnet: RunningSubnet, device: str | None) -> Done:
    text = _held(subnet, PARTITIONS)
    names = {guid: _name(subnet, end) for guid, end in _guids(subnet)}
    for statement in STATEMENT.findall(text):
        key = _KEY.search(statement)
        if key is None or int(key[1], 16) == DEFAULT_KEY:
            continue
        head, _, body = statement.partition(":")
        members = [(one, names.get(int(one[1], 16), "")) for one in _GUID.finditer(body)]
        fitting = [one for one, name in members if device in (None, name) and name]
        if not fitting:
            continue
        gone = fitting[-1]
        rest = (body[: gone.start()] + body[gone.end() :]).rstrip("; \n").rstrip(",")
        changed = text.replace(statement, f"{head}:{rest} ;")
        undo = _changed(building, subnet, partial(_with_partitions, text=changed))
        who = names[int(gone[1], 16)]
        return Done(f"subnet {subnet.name}: {who} is no member of P_Key {key[1]} any more", undo)
    who = f"{device} " if device else ""
    raise FaultError(f"subnet {subnet.name}: {who}is named in no partition of its managers' files")


def _with_partitions(files: Files, text: str) -> Files:
    return {**files, PARTITIONS: text}


def _guids(subnet: RunningSubnet) -> Iterator[tuple[int, End]]:
    for end, guid in subnet.simulated.network.guids.items():
        if end[0].startswith("H-"):
            yield guid, end


FILES: Mapping[str, Callable[[Building, RunningSubnet, str | None], Done]] = {
    "sl_to_vl15": _sl_to_vl15,
    "no_weight": _no_weight,
    "partition": _partition,
}
