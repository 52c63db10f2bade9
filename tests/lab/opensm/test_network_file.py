"""Network files: discoveries of real fabrics, and what is none."""

import pytest

from netcheck.lab.opensm.network import read_network
from netcheck.model.errors import InputError
from tests.lab.opensm.ib_labs import guid_of, host_id, leaf_id, network_text


def complaint(text: str) -> str:
    """What is said of a text; nothing where it is taken."""
    try:
        read_network(text, "cut")
    except InputError as error:
        return str(error)
    return ""


def test_nodes_cables_and_sizes_are_told() -> None:
    network = read_network(network_text(), "tree")
    assert len(network.hosts) == 16
    assert len(network.switches) == 6
    assert network.sizes == (22, 6, 16 + 6 * 9)
    assert network.cables[host_id(0), 1] == (leaf_id(0), 1)
    assert network.device(leaf_id(0)) == "leaf01"
    assert network.guids[host_id(0), 1] == guid_of(host_id(0)) + 1
    assert network.notes == ()


def test_cut_anywhere_it_is_whole_or_bad_input() -> None:
    text = network_text(leaves=2, spines=1, hosts=2)
    told = [complaint(text[:end]) for end in range(0, len(text), 31)]
    refused = [each for each in told if each]
    assert len(refused) > len(told) / 2
    assert all(each.startswith("cut") for each in refused)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Switch\t8", "Switch\t999999", "expected at most 254"),
        (f'Ca\t1 "{host_id(1)}"', f'Ca\t1 "{host_id(0)}"', "is there twice"),
        (f'"{leaf_id(0)}"[2]', f'"{leaf_id(0)}"[3]', "which does not lead back"),
    ],
)
def test_what_ibsim_would_die_of_is_named(old: str, new: str, told: str) -> None:
    text = network_text().replace(old, new, 1)
    with pytest.raises(InputError, match=rf"fabric\.txt:\d+: .*{told}"):
        read_network(text, "fabric.txt")


def test_commands_in_a_file_are_left_out() -> None:
    text = f'do Unlink "{leaf_id(0)}"\ninclude "/etc/passwd"\n{network_text()}'
    network = read_network(text, "fabric.txt")
    assert "Unlink" not in network.text
    assert "include" not in network.text
    assert network.notes == ("fabric.txt: 2 lines left out: not of ibnetdiscover",)


def test_a_port_keeps_its_guid_where_it_is_that_of_the_adapter() -> None:
    node = host_id(0)
    text = network_text().replace(f"({guid_of(node) + 1:x})", f"({guid_of(node):x})", 1)
    network = read_network(text, "fabric.txt")
    assert f"caguid={guid_of(node) - 1:#x}\n" in network.text
    assert network.node_guids[node] == guid_of(node) - 1
    assert "1 adapters have another node GUID here" in network.notes[0]


def test_aggregation_nodes_are_no_hosts() -> None:
    text = network_text().replace("gpu16 mlx5_0", "Mellanox Technologies Aggregation Node")
    assert len(read_network(text, "fabric.txt").hosts) == 15


def test_guids_of_an_adapter_that_do_not_follow_each_other_are_said() -> None:
    text = (
        'caguid=0x10\nCa\t2 "H-10"\t\t# "gpu01 mlx5_0"\n'
        '[1](11) \t"S-20"[1]\t\t# lid 0 lmc 0 "leaf01" lid 0 4xHDR\n'
        '[2](99) \t"S-20"[2]\t\t# lid 0 lmc 0 "leaf01" lid 0 4xHDR\n\n'
        'switchguid=0x20(20)\nSwitch\t2 "S-20"\t\t# "leaf01" enhanced port 0 lid 0 lmc 0\n'
        '[1]\t"H-10"[1](11) \t\t# "gpu01 mlx5_0" lid 0 4xHDR\n'
        '[2]\t"H-10"[2](99) \t\t# "gpu01 mlx5_0" lid 0 4xHDR\n'
    )
    odd = read_network(text)
    assert odd.guids == {("H-10", 1): 0x11, ("H-10", 2): 0x12}
    (note,) = odd.notes
    assert note.startswith("network: 1 ports have another GUID here")
    assert read_network(text.replace("99", "12")).notes == ()
