"""The Content-Security-Policy allows nothing unsafe, and no page contains what the policy does not allow."""

from __future__ import annotations

from eosviz.launch.places import ROOT
from eosviz.security import CONTENT_SECURITY_POLICY, EMBEDDED_POLICY
from tests.classroom.markup import refused_in


def test_the_reader_finds_each_kind() -> None:
    html = (
        '<style></style><script>x</script><script src="y"></script><p style="" onclick=""><b title="style=">'
    )
    assert refused_in(html) == ["<style>", "<script>", "<p style>", "<p onclick>"]


def test_nothing_unsafe_is_allowed_and_only_a_frame_may_be_framed() -> None:
    for policy in (CONTENT_SECURITY_POLICY, EMBEDDED_POLICY):
        assert "unsafe" not in policy
        assert "script-src 'self';" in policy
        assert "style-src 'self';" in policy
    assert "frame-ancestors 'none'" in CONTENT_SECURITY_POLICY
    assert EMBEDDED_POLICY.endswith("frame-ancestors *")


def test_no_template_and_no_script_writes_a_style_attribute() -> None:
    """The player's own markup is made in the browser. There, lit writes `style=` as an attribute, which the policy
    refuses, but not `.style=`.
    """
    sources = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static").rglob("*.ts")]
    assert len(sources) > 100
    written = [
        path.relative_to(ROOT).as_posix()
        for path in sources
        if not {"dist", "tests"} & set(path.parts)
        and any(sign in path.read_text() for sign in (' style="', " style=${", " style='", "styleMap"))
    ]
    assert written == []
