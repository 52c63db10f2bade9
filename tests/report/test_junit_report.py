from dataclasses import replace

from junitparser import Error, Failure, JUnitXml, Skipped

from netcheck.report.junit import write
from netcheck.report.report import Report


def read(report: Report) -> JUnitXml:
    return JUnitXml.fromstring(write(report).encode())


def test_every_finding_is_a_case_with_its_outcome(report: Report) -> None:
    outcomes = {
        case.name.split()[0]: [type(each) for each in case.result]
        for suite in read(report)
        for case in suite
    }
    assert outcomes == {
        "pfc-host-missing": [Failure],
        "ecn-inactive": [Error],
        "mtu-below-rdma": [Skipped],
        "pfc-path-gap": [Skipped],
        "dscp-not-mapped": [],
    }


def test_totals_agree_with_the_cases(report: Report) -> None:
    xml = read(report)
    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (5, 1, 1, 2)


def test_a_clean_run_has_a_passed_case() -> None:
    xml = read(Report("lint"))
    assert (xml.tests, xml.failures, xml.errors) == (1, 0, 0)


def test_characters_that_xml_cannot_hold_are_replaced(report: Report) -> None:
    damaged = replace(report.findings[0], message="pfc \x00\x1b[31m off \ud800")
    assert "\N{REPLACEMENT CHARACTER}" in write(Report("lint", (damaged,)))
    assert read(Report("lint", (damaged,))).failures == 1
