"""`junit.xml` in the format of pytest's `--junitxml`, with only what a student may read."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from grader.results.record import Grade
from grader.results.student import CheckView, ExerciseView, ModuleView, Report, report


def to_junit(grade: Grade) -> bytes:
    """One testcase per check; a module that could not be imported is a collection error."""
    view = report(grade)
    checks = [check for exercise in view.exercises for check in exercise.checks]
    broken = [module for module in view.modules if not module.ok]
    unsafe = " (UNSAFE: no isolation)" if view.unsafe else ""
    root = ET.Element("testsuites", name=f"pytest tests{unsafe}")
    suite = ET.SubElement(
        root,
        "testsuite",
        name=f"pytest{unsafe}",
        errors=str(len(broken)),
        failures=str(sum(check.state in ("failed", "open") for check in checks)),
        skipped=str(sum(check.state == "not_run" for check in checks)),
        tests=str(len(checks) + len(broken)),
        time=f"{sum(check.seconds or 0.0 for check in checks):.3f}",  # of the public ones alone
        timestamp=view.started,
    )
    _properties(suite, view)
    for module in broken:
        _module(suite, module)
    for exercise in view.exercises:
        _exercise(suite, exercise)
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _properties(suite: ET.Element, view: Report) -> None:
    properties = ET.SubElement(suite, "properties")
    values = [("isolation_tier", view.tier), ("tests", view.tests), ("version", view.version)]
    values += [("handout", view.handout)] if view.handout else []
    if view.score is not None:
        values += [("score", repr(view.score)), ("max_score", repr(view.max_score))]
    values += [("graded_with", view.graded_with)] if view.graded_with else []
    values += [("notice", notice) for notice in view.notices]
    for name, value in values:
        ET.SubElement(properties, "property", name=name, value=value)


def _module(suite: ET.Element, module: ModuleView) -> None:
    case = ET.SubElement(suite, "testcase", classname="", name=module.module, time="0.000")
    error = ET.SubElement(case, "error", message="collection failure")
    error.text = "\n".join(filter(None, (module.place, module.message)))


def _exercise(suite: ET.Element, exercise: ExerciseView) -> None:
    """Its checks. A failure with another seed is told with the first failed hidden one."""
    failed = (c for c in exercise.checks if c.state == "failed" and not c.public)
    teller = next(failed, None) if exercise.further else None
    for check in exercise.checks:
        further = exercise.further.text if exercise.further and check is teller else ""
        _check(suite, check, further)


def _check(suite: ET.Element, check: CheckView, further: str) -> None:
    seconds = f"{check.seconds or 0.0:.3f}"
    case = ET.SubElement(suite, "testcase", classname=check.module, name=check.name, time=seconds)
    if check.state in ("failed", "open"):
        failure = ET.SubElement(case, "failure", message=check.words)
        failure.text = "\n".join(filter(None, (check.title, check.text, further)))
    elif check.state == "not_run":
        skipped = ET.SubElement(case, "skipped", type="pytest.skip", message=check.words)
        skipped.text = f"{check.title}\n{check.text}"
