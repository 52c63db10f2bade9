"""The commands by name: where each is, and its line of help; and the first page of help.

Nothing is loaded for that: ``netcheck --help`` has to come at once.
"""

from __future__ import annotations

HERE = "netcheck.cli"
COMMANDS = {
    "lint": (
        f"{HERE}.lint:lint",
        "Judge an intent, configurations, a rendered tree or a snapshot.",
    ),
    "render": (f"{HERE}.render:render", "Write what each device takes: one folder a device."),
    "plan": (f"{HERE}.plan:plan", "Show what would change on each device, and what it disturbs."),
    "deploy": (f"{HERE}.deploy:deploy", "Apply an intent or a plan in batches, with a way back."),
    "rollback": (f"{HERE}.rollback:rollback", "Bring back what devices held before a run."),
    "collect": (f"{HERE}.collect:collect", "Read devices into a snapshot; changes nothing."),
    "merge": (f"{HERE}.merge:merge", "Make one snapshot of several slices."),
    "verify": (f"{HERE}.verify:verify", "Compare what devices hold with the intent."),
    "perf": (f"{HERE}.perf:perf", "Measure with RDMA traffic whether the fabric is lossless."),
    "run": (f"{HERE}.run:run", "The whole chain: lint, render, deploy, verify, perf."),
    "import": (
        f"{HERE}.import_:import_",
        "Write the intent that configurations or a snapshot follow.",
    ),
    "diff": (f"{HERE}.diff:diff", "Show what changed between two snapshots, by meaning."),
    "ib": (f"{HERE}.ib:ib", "InfiniBand: rehearse a subnet manager before it is pushed."),
    "headroom": (f"{HERE}.headroom:headroom_command", "Compute PFC headroom, with its terms."),
    "predict": (
        f"{HERE}.predict:predict",
        "Predict an incast: when it marks and pauses, how far, what is lost.",
    ),
    "rules": (f"{HERE}.rules:rules", "List the rules."),
    "explain": (
        f"{HERE}.explain:explain",
        "Explain one rule or check: why, source, example, fix.",
    ),
    "lab": (f"{HERE}.lab:lab", "Run the embedded lab: up, down, status, fault."),
    "schema": (f"{HERE}.schema:schema", "Print the JSON Schema of the intent."),
}

ABOUT = "One YAML intent, a lossless RoCE fabric, and the proof that it is one."
CODES = (
    "Exit codes: 0 clean, 1 findings, 2 bad input or usage, 3 evidence missing, 4",
    "internal error, 130 interrupted.",
)


def help_page() -> str:
    """What ``netcheck --help`` prints; the same as click would write."""
    width = max(map(len, COMMANDS))
    lines = ["Usage: netcheck [OPTIONS] COMMAND [ARGS]...", "", f"  {ABOUT}", ""]
    lines += [f"  {line}" for line in CODES]
    lines += ["", "Options:", "  --version   Show the version and exit."]
    lines += ["  -h, --help  Show this message and exit.", "", "Commands:"]
    lines += [f"  {name:<{width}}  {line}" for name, (_, line) in COMMANDS.items()]
    return "\n".join(lines) + "\n"
