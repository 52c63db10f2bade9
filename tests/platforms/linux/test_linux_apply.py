"""How a change gets onto a host, what it disturbs, and how it is taken back."""

import base64
from collections.abc import Mapping
from dataclasses import replace

import pytest

from netcheck.model.device import CongestionControl, Device, HostFacts, Port, RdmaDevice
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.model.qos import PortQos, Scheduler, SchedulerKind, Trust
from netcheck.platforms.linux.apply import plan
from netcheck.platforms.linux.render import render
from netcheck.platforms.linux.shared_file import merge
from netcheck.platforms.platform import Change, Impact, Removal, Run, Upload

HOST = Device(
    "gpu01",
    ports=FrozenMap(
        {
            "rail0": Port(
                "rail0",
                ip_mtu=9000,
                qos=PortQos(
                    trust=Trust.DSCP,
                    pfc_rx=frozenset({3}),
                    pfc_tx=frozenset({3}),
                    dscp_to_priority=FrozenMap({26: 3}),
                ),
            )
        }
    ),
    rdma=FrozenMap(
        {
            "mlx5_0": RdmaDevice(
                "mlx5_0",
                ports=("rail0",),
                traffic_class=106,
                congestion_control=CongestionControl(cnp_dscp=48),
            )
        }
    ),
    host=HostFacts(environment=FrozenMap({"NCCL_IB_TC": "106"})),
)
RENDERED = dict(render(HOST, Fabric("f")))
NO_UNIT = "Failed to get unit file state for netcheck-roce@rail0.service: No such file\n"


def _qos(trust: str, pfc: int) -> str:
    dscps = "dscp2prio mapping:\n\tprio:3 dscp:26,\n" if trust == "dscp" else ""
    enabled = " ".join(str(int(n == pfc)) for n in range(8))
    return (
        f"Priority trust state: {trust}\n{dscps}PFC configuration:\n"
        f"\tpriority 0 1 2 3 4 5 6 7\n\tenabled  {enabled}\n"
    )


def _live(*, mtu: int, trust: str, pfc: int, forced: str, cnp_dscp: int) -> dict[str, str]:
    return {
        "mlnx_qos_rail0.txt": _qos(trust, pfc),
        "ip_link_rail0.json": f'[{{"ifname":"rail0","mtu":{mtu}}}]',
        "ecn_rail0.txt": f"/sys/class/net/rail0/ecn/roce_np/cnp_dscp:{cnp_dscp}\n",
        "traffic_class_mlx5_0.txt": forced,
    }


BEFORE = {
    **_live(mtu=1500, trust="pcp", pfc=-1, forced="", cnp_dscp=0),
    "enabled_rail0.txt": NO_UNIT,
    "nccl.conf.base64": base64.b64encode(b"# mine\r\nNCCL_DEBUG=INFO").decode(),
}
AFTER = {
    **_live(mtu=9000, trust="dscp", pfc=3, forced="Global tclass=106\n", cnp_dscp=48),
    **{name: text for name, text in RENDERED.items() if name != "nccl.conf"},
    "roce_scripts.txt": "rail0.sh\n",
    "enabled_rail0.txt": "enabled\n",
    "nccl.conf.base64": base64.b64encode(
        b"# mine\r\nNCCL_DEBUG=INFO\n# netcheck begin\nNCCL_IB_TC=106\n# netcheck end\n"
    ).decode(),
}


def _plan(held: Mapping[str, str], rendered: Mapping[str, str] = RENDERED) -> Change:
    return plan(HOST, rendered, held)


def _runs(steps: tuple[object, ...]) -> list[str]:
    return [step.line for step in steps if isinstance(step, Run)]


def _uploads(steps: tuple[object, ...]) -> dict[str, str]:
    return {step.path: step.text for step in steps if isinstance(step, Upload)}


def test_a_host_that_holds_all_of_it_is_left_alone() -> None:
    assert _plan(AFTER) == Change()


def test_a_new_host_gets_files_then_its_unit_runs() -> None:
    change = _plan(BEFORE)
    assert set(_uploads(change.steps)) == {
        "/etc/netcheck/roce/rail0.sh",
        "/etc/systemd/system/netcheck-roce@.service",
        "/etc/udev/rules.d/90-netcheck-roce.rules",
        "/etc/nccl.conf",
    }
    assert _runs(change.steps) == [
        "sudo mkdir -p /etc/netcheck/roce",
        "sudo systemctl daemon-reload",
        "sudo udevadm control --reload",
        "sudo systemctl enable netcheck-roce@rail0.service",
        "sudo systemctl restart netcheck-roce@rail0.service",
    ]


def test_the_plan_names_live_settings_with_old_and_new() -> None:
    live = [entry for entry in _plan(BEFORE).objects if not entry[0].startswith("/")]
    assert live == [
        ("netcheck-roce@rail0.service", "not there", "enabled"),
        ("port rail0 ip_mtu", "1500", "9000"),
        ("port rail0 trust", "pcp", "dscp"),
        ("port rail0 pfc_rx", "{}", "{3}"),
        ("port rail0 dscp_to_priority", "none", "26: 3"),
        ("rdma mlx5_0 traffic_class", "none", "106"),
        ("rdma mlx5_0 cnp_dscp", "0", "48"),
    ]


def test_others_bytes_of_nccl_conf_stay() -> None:
    assert _uploads(_plan(BEFORE).steps)["/etc/nccl.conf"] == (
        "# mine\r\nNCCL_DEBUG=INFO\n# netcheck begin\nNCCL_IB_TC=106\n# netcheck end\n"
    )


DRIFTS = {
    "mlnx_qos_rail0.txt": (_qos("pcp", 3), "trust", Impact.QUEUE),
    "ip_link_rail0.json": ('[{"ifname":"rail0","mtu":1500}]', "ip_mtu", Impact.PORT),
    "traffic_class_mlx5_0.txt": ("", "traffic_class", Impact.NONE),
    "ecn_rail0.txt": ("/sys/class/net/rail0/ecn/roce_np/cnp_dscp:46\n", "cnp_dscp", Impact.QUEUE),
}


@pytest.mark.parametrize("file", DRIFTS)
def test_a_live_setting_that_drifted_runs_the_unit_again(file: str) -> None:
    text, fact, impact = DRIFTS[file]
    change = _plan({**AFTER, file: text})
    assert change.objects[0][0].endswith(fact)
    assert _runs(change.steps) == ["sudo systemctl restart netcheck-roce@rail0.service"]
    assert change.impact is impact
    assert change.source


def test_a_pfc_change_takes_the_port_down() -> None:
    change = _plan({**AFTER, "mlnx_qos_rail0.txt": _qos("dscp", 4)})
    assert (change.impact, change.objects[0]) == (
        Impact.PORT,
        ("port rail0 pfc_rx", "{4}", "{3}"),
    )


def test_a_script_that_somebody_changed_is_written_again() -> None:
    change = _plan({**AFTER, "rail0.sh": RENDERED["rail0.sh"] + "reboot\n"})
    assert _uploads(change.steps) == {"/etc/netcheck/roce/rail0.sh": RENDERED["rail0.sh"]}
    assert _uploads(change.undo) == {
        "/etc/netcheck/roce/rail0.sh": RENDERED["rail0.sh"] + "reboot\n"
    }


def test_a_unit_that_does_not_start_at_boot_is_enabled() -> None:
    change = _plan({**AFTER, "enabled_rail0.txt": "disabled\n"})
    assert _runs(change.steps) == ["sudo systemctl enable netcheck-roce@rail0.service"]
    assert _runs(change.undo) == ["sudo systemctl disable netcheck-roce@rail0.service"]
    assert change.impact is Impact.NONE


def test_scripts_of_ports_that_are_gone_are_removed_and_come_back() -> None:
    change = _plan({**AFTER, "roce_scripts.txt": "old.sh  rail0.sh old2.sh.removed\n"})
    path = "/etc/netcheck/roce/old.sh"
    assert change.removals == (Removal(path),)
    assert _runs(change.steps) == [
        "sudo systemctl disable netcheck-roce@old.service",
        f"sudo mv -f {path} {path}.removed",
    ]
    assert f"sudo mv -f {path}.removed {path}" in _runs(change.undo)


def test_undo_brings_back_files_and_live_settings() -> None:
    undo = _plan(BEFORE).undo
    assert _runs(undo) == [
        "sudo systemctl disable netcheck-roce@rail0.service",
        "sudo rm -f /etc/udev/rules.d/90-netcheck-roce.rules",
        "sudo rm -f /etc/systemd/system/netcheck-roce@.service",
        "sudo rm -f /etc/netcheck/roce/rail0.sh",
        "sudo systemctl daemon-reload",
        "sudo udevadm control --reload",
        "sudo sh /var/tmp/netcheck-undo-rail0.sh",
        "sudo rm -f /var/tmp/netcheck-undo-rail0.sh",
    ]
    files = _uploads(undo)
    assert files["/etc/nccl.conf"] == "# mine\r\nNCCL_DEBUG=INFO"
    lines = files["/var/tmp/netcheck-undo-rail0.sh"].splitlines()  # noqa: S108 -- a path on a device
    assert [line for line in lines if line and line[0] != "#"] == [
        "set -eu",
        "ip link set dev rail0 mtu 1500",
        "mlnx_qos -i rail0 --trust pcp",
        "mlnx_qos -i rail0 --pfc 0,0,0,0,0,0,0,0",
        "echo 0 > /sys/class/net/rail0/ecn/roce_np/cnp_dscp",
        "echo 0 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
    ]


@pytest.mark.parametrize(
    ("shown", "written"),
    [
        ("ets, bw: 12%", "--tsa ets,ets,strict,strict,strict,strict,strict,strict --tcbw 12,88"),
        ("strict", "--tsa strict,strict,strict,strict,strict,strict,strict,strict --tcbw 0,0"),
    ],
)
def test_undo_gives_the_share_of_queues_that_are_not_shown_to_one_of_them(
    shown: str, written: str
) -> None:
    """``mlnx_qos`` shows queues that a priority uses; the kernel wants 100 percent of all."""
    port = HOST.ports["rail0"]
    queues = FrozenMap({n: int(n == 3) for n in range(8)})
    weighted = FrozenMap({n: Scheduler(SchedulerKind.WEIGHTED, 50) for n in (0, 1)})
    qos = replace(port.qos, priority_to_queue=queues, scheduler=weighted)
    host = replace(HOST, ports=FrozenMap({"rail0": replace(port, qos=qos)}))
    rows = "".join(f"\t priority:  {n}\n" for n in range(8))
    text = f"{_qos('pcp', -1)}tc: 0 ratelimit: unlimited, tsa: {shown}\n{rows}"
    change = plan(host, render(host, Fabric("f")), {**BEFORE, "mlnx_qos_rail0.txt": text})
    script = _uploads(change.undo)["/var/tmp/netcheck-undo-rail0.sh"]  # noqa: S108 -- on a device
    assert f"mlnx_qos -i rail0 {written},0,0,0,0,0,0" in script.splitlines()


def test_undo_of_an_adapter_of_no_vendor_uses_the_tool_that_set_it() -> None:
    rdma = RdmaDevice("rocep1s0", driver="rxe", ports=("rail0",))  # the name says no driver
    host = replace(HOST, rdma=FrozenMap({rdma.name: rdma}))
    held = {
        "ip_link_rail0.json": '[{"ifname":"rail0","mtu":1500}]',
        "dcb_pfc_rail0.json": '{"pfc_cap":8,"macsec_bypass":false,"delay":0,'
        '"prio_pfc":[false,false,false,false,false,false,false,false]}',
        "dcb_app_rail0.json": "{}",
        "enabled_rail0.txt": NO_UNIT,
    }
    change = plan(host, render(host, Fabric("f")), held)
    assert ("port rail0 dscp_to_priority", "none", "26: 3") in change.objects
    script = _uploads(change.undo)["/var/tmp/netcheck-undo-rail0.sh"]  # noqa: S108 -- on a device
    assert [line for line in script.splitlines() if line and line[0] != "#"] == [
        "set -eu",
        "ip link set dev rail0 mtu 1500",
        "dcb pfc set dev rail0 prio-pfc all:off || dcb pfc set dev rail0 prio-pfc all:off",
        "dcb app flush dev rail0 dscp-prio || dcb app flush dev rail0 dscp-prio",
    ]


def test_a_forced_zero_counts_as_not_forced() -> None:
    undone = {**BEFORE, "traffic_class_mlx5_0.txt": "Global tclass=0\n"}
    assert _plan(undone).objects == _plan(BEFORE).objects


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mlnx_qos_rail0.txt", _qos("dscp", 3).replace("enabled  0 0", "enabled  0")),
        ("ecn_rail0.txt", "/sys/class/net/rail0/ecn/roce_np/cnp_dscp:\n"),
        ("ip_link_rail0.json", "[{"),
        ("nccl.conf.base64", "***"),
    ],
)
def test_a_damaged_output_stops_the_plan(file: str, text: str) -> None:
    with pytest.raises(InputError, match=r"gpu01|nccl"):
        _plan({**AFTER, file: text})


@pytest.mark.parametrize("file", ["traffic_class_mlx5_0.txt", "ecn_rail0.txt"])
def test_a_host_without_the_files_a_script_writes_is_not_touched(file: str) -> None:
    held = {name: text for name, text in AFTER.items() if name != file}
    with pytest.raises(InputError, match=r"gpu01 mlx5_0: .* MLNX_OFED"):
        _plan(held)


def test_what_an_adapter_does_not_show_is_no_drift() -> None:
    text = AFTER["mlnx_qos_rail0.txt"].partition("PFC configuration:")[0]
    assert _plan({**AFTER, "mlnx_qos_rail0.txt": text}).is_empty


def test_the_reasons_of_the_worst_impact_are_all_told() -> None:
    change = _plan(BEFORE)
    assert change.impact is Impact.PORT
    assert [part.split(" when ")[-1] for part in change.reason.split("; ")] == [
        "the MTU changes",
        "PFC changes",
    ]


def test_without_job_settings_nccl_conf_is_not_touched() -> None:
    silent = dict(render(replace(HOST, host=HostFacts()), Fabric("f")))
    assert "/etc/nccl.conf" not in _uploads(_plan(BEFORE, silent).steps)


BLOCK = "# netcheck begin\nNCCL_IB_TC=106\n# netcheck end\n"


@pytest.mark.parametrize(
    ("held", "text", "replaced"),
    [
        (None, BLOCK, ()),
        ("", BLOCK, ()),
        ("A=1\n", f"A=1\n{BLOCK}", ()),
        ("A=1", f"A=1\n{BLOCK}", ()),
        (BLOCK, BLOCK, ()),
        ("# netcheck begin\nX=1\n# netcheck end\nB=2\r\n", f"{BLOCK}B=2\r\n", ()),
        ("NCCL_IB_TC=0\nB=2\n", f"B=2\n{BLOCK}", ("NCCL_IB_TC=0",)),
        ("#NCCL_IB_TC=0\n", f"#NCCL_IB_TC=0\n{BLOCK}", ()),
        ("caf\udce9=1\n", f"caf\udce9=1\n{BLOCK}", ()),
    ],
)
def test_our_block_goes_into_a_shared_file(
    held: str | None, text: str, replaced: tuple[str, ...]
) -> None:
    merged = merge(held, BLOCK)
    assert (merged.text, merged.replaced) == (text, replaced)
    assert merge(merged.text, BLOCK).text == text


def test_a_block_without_an_end_is_not_guessed() -> None:
    with pytest.raises(InputError, match="line 2"):
        merge("A=1\n# netcheck begin\nB=2\n", BLOCK)
