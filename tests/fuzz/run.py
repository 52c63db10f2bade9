"""Parsers under mutation for minutes: ``python -m tests.fuzz.run [PLATFORM ...]``.

What fails is written below ``.fuzz/``, one text each, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from itertools import islice
from pathlib import Path

from netcheck.platforms.platform import platform_names
from tests.fuzz.mutation import Seed, counters, emptied, mutants, read, seeds

FOLDER = Path(".fuzz")
AT_ONCE = 20


def fuzz(platform: str, minutes: float, dice: random.Random) -> tuple[int, list[str]]:
    """Mutate texts of a platform for so long; give how many were tried and what failed."""
    given = seeds(platform)
    whole = {seed.name: counters(read(seed, seed.text)) for seed in given}
    end = time.monotonic() + 60 * minutes
    tried, failed = 0, []
    while time.monotonic() < end:
        seed = dice.choice(given)
        for mutant in islice(mutants(seed.text, dice), AT_ONCE):
            tried += 1
            why = ""
            try:
                found = counters(read(seed, mutant.text))
            except Exception:  # noqa: BLE001 -- whatever it is, it is the finding
                why = traceback.format_exc()
            else:
                lost = emptied(whole[seed.name], found) if mutant.only_loses else []
                why = f"read as zero: {lost}" if lost else ""
            if why:
                failed.append(_kept(seed, mutant.how, mutant.text, why))
    return tried, failed


def _kept(seed: Seed, how: str, text: str, why: str) -> str:
    FOLDER.mkdir(exist_ok=True)
    number = len(list(FOLDER.glob(f"{seed.platform}-*.txt"))) + 1
    path = FOLDER / f"{seed.platform}-{number}.txt"
    path.write_text(text, "utf-8", "surrogateescape")
    path.with_suffix(".why").write_text(f"{seed.name}: {how}\n{why}\n", "utf-8", "replace")
    return f"{path}: {seed.name}: {how}: {why.strip().splitlines()[-1]:.200}"


def main() -> int:
    """Fuzz each platform for the same time; give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("platforms", nargs="*", default=platform_names())
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    is_clean = True
    for platform in options.platforms:
        tried, failed = fuzz(platform, options.minutes, random.Random(options.seed))  # noqa: S311 -- repeatable
        print(f"{platform}: {tried} mutants of {len(seeds(platform))} texts, {len(failed)} failed")  # noqa: T201 -- a command
        for line in failed[:AT_ONCE]:
            print(f"  {line}")  # noqa: T201 -- as above
        is_clean &= not failed
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
