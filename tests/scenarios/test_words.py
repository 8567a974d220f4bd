"""Words on pages: a name in a headline stays in one line."""

from django.template import Context, Template
from django.utils.translation import override


def headline(partition: str) -> str:
    page = Template('{% load words %}{% say_unbroken "logs.answer.undecided" params %}')
    with override("en"):  # an earlier test may have left another language
        return page.render(Context({"params": {"partition": partition}}))


def test_a_name_with_hyphens_is_whole_and_a_very_long_one_may_break() -> None:
    assert 'of <span class="nb">orders-0</span> are held up' in headline("orders-0")
    assert "<span" not in headline("a-very-long-topic-of-a-whole-company-0")


def test_a_name_from_a_file_is_escaped() -> None:
    assert "&lt;b&gt;-0" in headline("<b>-0")
