from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from netcheck.intent import IntentError, load_intent
from netcheck.intent.inventory import expand_hosts, read_inventory
from netcheck.model.errors import InputError
from netcheck.model.fabric import Credentials

Write = Callable[..., Path]
INI = """\
# switches
leaf01 ansible_host=10.0.0.1 ansible_port=2222
[leaves]
leaf[02:03] ansible_user=admin  ; both
[leaves:vars]
ansible_user = operator
ansible_password = "{{ lookup('env', 'LEAF_PASSWORD') }}"
[switches:children]
leaves
[switches:vars]
ansible_host=10.9.9.9
"""
YAML = """\
all:
  vars: {ansible_user: root}
  children:
    hosts:
      hosts:
        gpu[01:02]:
        gpu03: {ansible_user: me, ansible_host: 10.0.0.3}
      vars: {ansible_ssh_private_key_file: ~/.ssh/id, secret: !vault "x"}
"""
INTENT = "{netcheck: 1, inventory: %s, devices: {leaf01: {}, leaf02: {mgmt: 10.1.1.1}, gpu03: {}}}"


def test_an_ini_inventory_gives_the_nearest_value(write: Write) -> None:
    hosts = read_inventory(write(INI, "hosts.ini"))
    password = "{{ lookup('env', 'LEAF_PASSWORD') }}"
    assert hosts["leaf01"] == {"ansible_host": "10.0.0.1", "ansible_port": "2222"}
    assert hosts["leaf03"] == {
        "ansible_host": "10.9.9.9",
        "ansible_user": "admin",
        "ansible_password": password,
    }


def test_a_yaml_inventory_gives_the_nearest_value(write: Write) -> None:
    hosts = read_inventory(write(YAML, "hosts.yml"))
    assert hosts["gpu01"]["ansible_user"] == "root"
    assert hosts["gpu03"]["ansible_user"] == "me"
    assert hosts["gpu02"]["ansible_ssh_private_key_file"] == "~/.ssh/id"


def test_addresses_and_logins_reach_devices_that_do_not_state_them(write: Write) -> None:
    write(INI, "hosts.ini")
    write(YAML, "hosts.yml")
    fabric = load_intent(write(INTENT % "[hosts.ini, hosts.yml]"))
    leaf01, leaf02, gpu03 = fabric.devices.values()
    assert (leaf01.mgmt, leaf01.mgmt_port) == ("10.0.0.1", 2222)
    assert leaf02.mgmt == "10.1.1.1"
    login = fabric.credentials[str(leaf02.credentials)]
    assert login == Credentials(login.name, "admin", password="env:LEAF_PASSWORD")
    assert fabric.credentials[str(gpu03.credentials)].key == "file:~/.ssh/id"


def test_a_plain_password_in_an_inventory_is_refused_and_not_repeated(write: Write) -> None:
    write("leaf01 ansible_user=admin ansible_password=s3cr3t\n", "hosts.ini")
    with pytest.raises(IntentError, match="leaf01: its password is a plain") as caught:
        load_intent(write(INTENT % "hosts.ini"))
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("leaf[08:10]", ["leaf08", "leaf09", "leaf10"]),
        ("r[a:c]", ["ra", "rb", "rc"]),
        ("n[1:5:2]", ["n1", "n3", "n5"]),
        ("p[1:2]-[1:2]", ["p1-1", "p1-2", "p2-1", "p2-2"]),
        ("plain", ["plain"]),
    ],
)
def test_host_patterns_stand_for_their_hosts(pattern: str, expected: list[str]) -> None:
    assert expand_hosts(pattern) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[leaves\nleaf01\n", "hosts.ini:1: not a section header"),
        ("[a:vars]\nnothing\n", "hosts.ini:2: expected name=value"),
        ("leaf01 x='y\n", "hosts.ini:1: No closing quotation"),
        ("leaf[1:999999999]\n", "stands for more than 200000 hosts"),
    ],
)
def test_a_bad_inventory_is_refused_with_its_line(text: str, message: str, write: Write) -> None:
    with pytest.raises(InputError) as caught:
        read_inventory(write(dedent(text), "hosts.ini"))
    assert message in str(caught.value)


def test_groups_that_contain_each_other_end(write: Write) -> None:
    text = "[a:children]\nb\n[b:children]\na\n[a]\nleaf01 ansible_user=x\n"
    assert read_inventory(write(text, "hosts.ini")) == {"leaf01": {"ansible_user": "x"}}
