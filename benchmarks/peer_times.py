"""What peers take for the same work; runs in their own environment, without netcheck.

Reads ``{"show": text, "ports": number, "switch": structured configuration}`` and writes
``peer -> [processor seconds of the least of several runs, what came out]``, both as JSON.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import Mock

RUNS = 5
TEMPLATE = """
<group name="interfaces*">
{{ interface }} is {{ state }}
admin state is {{ admin_state }}, Dedicated Interface
  MTU {{ mtu }} bytes, BW {{ bandwidth }} Kbit , DLY {{ ignore }} usec
  {{ duplex }}-duplex, {{ speed }} Gb/s, media type is {{ media }}
    {{ in_error }} input error  {{ ignore }} short frame  {{ ignore("ORPHRASE") }}
    {{ ignore }} input with dribble  {{ in_discard }} input discard
    {{ rx_pause }} Rx pause
    {{ out_error }} output error  {{ ignore }} collision  {{ ignore("ORPHRASE") }}
    {{ tx_pause }} Tx pause
</group>
"""


def least_s(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of the fastest of several runs after one to warm up, and its result."""
    result = work()
    found = []
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        result = work()
        found.append(time.process_time() - start)
    return min(found), result


def genie(show: str) -> Callable[[], int]:
    """Genie's parser, with a device that is never asked."""
    parser = import_module("genie.libs.parser.nxos.show_interface").ShowInterface

    return lambda: len(parser(device=Mock()).cli("show interface", output=show))


def textfsm(show: str) -> Callable[[], int]:
    """The template of ntc-templates, compiled once."""
    folder = Path(str(import_module("ntc_templates").__file__)).parent / "templates"
    with (folder / "cisco_nxos_show_interface.textfsm").open() as file:
        machine = import_module("textfsm").TextFSM(file)

    def read() -> int:
        machine.Reset()
        return len(machine.ParseText(show))

    return read


def ttp(show: str) -> Callable[[], int]:
    """A template of ten facts, compiled in each call as ttp does."""
    parser = import_module("ttp").ttp

    def read() -> int:
        one = parser(data=show, template=TEMPLATE)
        one.parse()
        return len(one.result()[0][0]["interfaces"])

    return read


def pyavd(switch: dict[str, Any]) -> Callable[[], int]:
    """A device's structured configuration as commands of EOS; gives the number of ports."""
    render = import_module("pyavd").get_device_config

    def count() -> int:
        text: str = render(switch)
        return text.count("\ninterface Ethernet")

    return count


def main() -> None:
    """Time every peer."""
    given = json.load(sys.stdin)
    show, ports = given["show"], given["ports"]
    works = {
        f"genie {version('genie')}": genie(show),
        f"TextFSM {version('textfsm')} (ntc-templates {version('ntc-templates')})": textfsm(show),
        f"ttp {version('ttp')} (10 facts)": ttp(show),
        f"pyavd {version('pyavd')}": pyavd(given["switch"]),
    }
    found = {}
    for name, work in works.items():
        seconds, count = least_s(work)
        if count != ports:
            raise SystemExit(f"{name}: {count} ports came out of {ports}")
        found[name] = seconds
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
