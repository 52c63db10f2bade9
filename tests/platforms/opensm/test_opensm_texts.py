"""Files as people write them are recognised and read."""

from dataclasses import replace

import pytest

from netcheck.model.document import Document
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.subnet_manager import SmConfig
from netcheck.platforms.opensm.parse import parse
from netcheck.platforms.opensm.recognise import recognise
from tests.platforms.opensm import opensm_texts as texts

FILES = {
    "opensm.conf": texts.OPTIONS,
    "partitions.conf": texts.PARTITIONS,
    "qos-policy.conf": texts.POLICY,
    "roots.txt": texts.ROOTS,
    "ib-node-name-map": texts.NAMES,
}


def read(files: dict[str, str]) -> SmConfig:
    documents = [Document(f"/etc/opensm/{name}", text) for name, text in files.items()]
    config = parse(documents, name="sm").subnet_manager
    assert is_known(config)
    return config


@pytest.fixture(scope="module")
def whole() -> SmConfig:
    return read(FILES)


def test_nothing_in_them_is_misread(whole: SmConfig) -> None:
    assert whole.misreadings == ()
    assert whole.files == frozenset(FILES)


def test_options_are_read_without_their_comments(whole: SmConfig) -> None:
    assert is_known(whole.options)
    values = {key: option.value for key, option in whole.options.items()}
    assert values["lmc"] == "0"
    assert values["guid"] == str(0x0002C90300100001)
    assert values["routing_engine"] == "ftree, updn"
    assert values["cc_cct"] == ""
    assert whole.options["lmc"].evidence.line == 4


def test_partitions_are_read_over_several_lines_and_several_on_one(whole: SmConfig) -> None:
    assert is_known(whole.partitions)
    found = {one.name: one for one in whole.partitions}
    assert list(found) == ["Default", "tenantA", "storage", "spare"]
    assert [one.membership for one in found["tenantA"].members] == ["full", "full", "limited"]
    assert [one.name for one in found["Default"].members] == ["ALL", "ALL_SWITCHES", "SELF"]
    assert (found["Default"].mtu_code, found["Default"].rate_code) == (5, 16)
    assert (found["storage"].pkey, found["spare"].members) == (0x0B02, ())
    assert [one.evidence.line for one in whole.partitions] == [2, 3, 6, 6]


def test_the_policy_is_read(whole: SmConfig) -> None:
    assert is_known(whole.policy)
    policy = whole.policy
    assert [one.sl for one in policy.ulps] == [3, 2, 1, 1, 0]
    assert policy.ulps[3].terms == {"ulp": ("any",), "service-id": ("0x6234", "0x7000")}
    assert [(one.name, one.sl, one.mtu_code) for one in policy.levels] == [
        ("DEFAULT", 0, UNKNOWN),
        ("bulk", 2, 4),
    ]
    assert policy.rules[0].terms == {"destination": ("stores",), "qos-class": ("7-9", "11")}
    assert policy.groups[0].terms["node-type"] == ("CA",)


def test_guids_and_names_are_read(whole: SmConfig) -> None:
    assert is_known(whole.roots)
    assert whole.roots.guids == (0x0002C90200300000, 0x0002C90200300010)
    assert is_known(whole.names)
    assert whole.names[0x0002C90200200000] == "leaf01 # rack 3"


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_under_any_name(name: str) -> None:
    expected = recognise(Document(name, FILES[name]))
    found = recognise(Document("upload.txt", FILES[name]))
    assert expected is not None
    assert found is not None
    if name != "roots.txt":  # of what GUIDs are only a name or an option tells
        assert replace(found, objects=expected.objects) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", "lmc and sm_priority are options\nof opensm.conf\n"),
        ("nccl.conf", "NCCL_IB_HCA=mlx5\nNCCL_DEBUG=INFO\n"),
        ("hosts", "10.0.0.1 sm01\n"),
        ("opensm-updn-roots.dump", "0x0002c90200300000\n"),
        ("sshd.conf", "Port 22\nPermitRootLogin no\n"),
        ("daemon.txt", "daemon off\n"),
        ("empty.txt", ""),
    ],
)
def test_other_texts_are_not_taken(name: str, text: str) -> None:
    assert recognise(Document(name, text)) is None


def test_a_backup_beside_it_is_a_stray_and_no_second_manager() -> None:
    config = read({"opensm.conf": texts.OPTIONS, "opensm.conf.2024~": texts.OPTIONS})
    assert [at.file for at in config.strays] == ["/etc/opensm/opensm.conf.2024~"]
    assert not [one for one in config.misreadings if one.key == "lmc"]


def test_a_file_of_guids_is_for_the_option_that_names_it() -> None:
    options = "cn_guid_file /etc/opensm/list.txt\n"
    config = read({"opensm.conf": options, "list.txt": texts.ROOTS})
    assert config.roots is UNKNOWN
    assert is_known(config.compute_nodes)


def test_the_build_of_a_rendered_file_is_read_back() -> None:
    text = "# subnet s, subnet manager sm01, build nvidia\nar_sl_mask 0xFFFF\n"
    config = read({"opensm.conf": text})
    assert (config.build, config.misreadings) == ("nvidia", ())
