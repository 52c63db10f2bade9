"""Start the real lab; it is stopped like any other (``netcheck.lab.control.stop_lab``)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from netcheck.lab.control import begin
from netcheck.lab.real.image import built_image
from netcheck.lab.real.layout import layout_of
from netcheck.lab.state import LabState
from netcheck.model.fabric import Fabric

START_S: Final = 360.0


def start_real_lab(fabric: Fabric, directory: Path) -> LabState:
    """Start the machines for a fabric; they answer when this returns.

    Raises:
        MissingToolsError: A program is not installed; says which package has it.
        InputError: A lab already runs there, or the machines cannot be this fabric.
        TransportError: The image cannot be built, or a machine did not come up.
    """
    layout = layout_of(fabric)
    built_image()
    sources = [os.fspath(Path(source).resolve()) for source in fabric.sources]
    return begin(
        directory,
        topology=layout.to_json(),
        sources=json.dumps(sources) + "\n",
        module="netcheck.lab.real.server",
        start_s=START_S,
    )
