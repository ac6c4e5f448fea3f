"""report.html: nothing in it runs or is fetched."""

from grader.results.html import to_html
from tests.harness.results.example_grade import grade


def test_html_escapes_what_a_submission_wrote():
    page = to_html(grade())
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#39;hi&#39;)&lt;/script&gt; was never closed" in page


def test_html_fetches_nothing():
    page = to_html(grade())
    assert "default-src 'none'" in page
    for outside in ("http:", "https:", "src=", "<link", "url(", "@import"):
        assert outside not in page
