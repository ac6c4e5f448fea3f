"""report.html: nothing in it runs or is fetched."""

from grader.causes import Cause
from grader.results.html import code_spans, to_html
from tests.harness.results.example_grade import check, exercise, grade


def test_html_escapes_what_a_submission_wrote_and_fetches_nothing():
    page = to_html(grade())
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#39;hi&#39;)&lt;/script&gt; was never closed" in page
    assert "default-src 'none'" in page
    for outside in ("http:", "https:", "src=", "<link", "url(", "@import"):
        assert outside not in page
    assert "A public test fails for another input: Any <code>x</code> of [half] &lt;b&gt;" in page
    assert "<code>make test EX=half SEED=17</code>" in page


def test_backticks_become_code_and_everything_is_escaped():
    words = code_spans("`a < b` & c, an odd ` stays")
    assert words == "<code>a &lt; b</code> &amp; c, an odd ` stays"


def test_titles_and_hints_show_code():
    rule = check("half", "failed", Cause.WRONG_ANSWER, title="A `view` is a view")
    page = to_html(grade(checks=(rule,), exercises=(exercise("half", 0, 1, hint="Use `a < b`."),)))
    assert "<code>view</code> is a view" in page
    assert "Use <code>a &lt; b</code>." in page
    assert "`" not in page
