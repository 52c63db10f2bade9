"""Data files of the package."""

import pytest

from netcheck.lossless.packaged import load_yaml, packaged_text, packaged_yaml
from netcheck.model.errors import InputError


def test_a_file_of_the_package_is_read() -> None:
    assert "spectrum-4" in packaged_yaml("netcheck.lossless", "data/asics.yaml")["asics"]


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"netcheck\.lossless: has no data/none\.yaml"):
        packaged_text("netcheck.lossless", "data/none.yaml")


def test_yaml_that_would_run_code_is_refused() -> None:
    with pytest.raises(Exception, match="could not determine a constructor"):
        load_yaml("!!python/object/apply:os.getcwd []")
