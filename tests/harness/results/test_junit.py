"""junit.xml: its counts, names and times."""

import xml.etree.ElementTree as ET

import pytest

from grader.results.junit import to_junit
from tests.harness.results.example_grade import grade


@pytest.fixture
def suite():
    return ET.fromstring(to_junit(grade())).find("testsuite")


def test_junit_counts_and_names_tests_as_pytest_does(suite):
    assert suite.get("tests") == str(len(suite.findall("testcase"))) == "12"
    for count, tag in (("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
        assert suite.get(count) == str(len(suite.findall(f"testcase/{tag}")))
    assert [suite.get(name) for name in ("failures", "skipped", "errors")] == ["7", "1", "1"]
    cases = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
    assert cases[:3] == [
        ("", "strides"),
        ("test_done", "test_one"),
        ("test_done", "test_two"),
    ]
    assert len(set(cases)) == len(cases)


def test_junit_tells_a_failure_with_a_further_seed_in_the_first_failed_hidden_check(suite):
    texts = [failure.text for failure in suite.findall("testcase/failure")]
    assert [text for text in texts if "SEED" in text] == [
        "An offset is added\n"
        "The answer is not the expected one.\n"
        "A public test fails for another input: Any `x` of [half] <b>\n"
        "See it at home: make test EX=half SEED=17"
    ]


def test_junit_times_public_checks_only(suite):
    assert sorted({case.get("time") for case in suite.findall("testcase")}) == ["0.000", "0.250"]
    assert suite.get("time") == "0.250"


def test_junit_of_a_broken_module_is_a_collection_error(suite):
    error = suite.find("testcase/error")
    assert error.get("message") == "collection failure"
    assert error.text.startswith("resource_accounting/strides.py:12\nSyntaxError: <script>")
