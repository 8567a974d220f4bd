"""Words on pages: a name in a headline stays on one line."""

from django.template import Context, Template
from django.utils.translation import override

from eosviz.scenarios.templatetags.words import breakable, in_clauses, unbroken


def headline(partition: str) -> str:
    page = Template('{% load words %}{% say_unbroken "logs.answer.undecided" params %}')
    with override("en"):  # an earlier test may have left another language
        return page.render(Context({"params": {"partition": partition}}))


def test_a_name_with_hyphens_is_whole_and_a_very_long_one_may_break() -> None:
    assert 'of <span class="nb">orders-0</span> are held up' in headline("orders-0")
    assert "<span" not in headline("a-very-long-topic-of-a-whole-company-0")


def test_an_option_keeps_its_hyphens() -> None:
    assert unbroken("and --coordinator-epoch instead, or --topic") == (
        'and <span class="nb">--coordinator-epoch</span> instead, or <span class="nb">--topic</span>'
    )


def test_no_line_ends_before_the_number_of_an_epoch() -> None:
    assert unbroken("（生产者 1000，epoch 0）t-1：1") == (
        '（生产者 1000，<span class="nb">epoch 0</span>）<span class="nb">t-1</span>：1'
    )


def test_a_chinese_mark_stays_with_the_letter_before_it() -> None:
    title = breakable("UNKNOWN_PRODUCER_ID：结论？")
    assert title == '<span class="divisible">UNKNOWN_<wbr>PRODUCER_ID：</span>结<span class="nb">论？</span>'
    assert breakable("Is it a&b?") == "Is it a&amp;b?"


def test_a_chinese_title_is_divided_between_its_clauses_first() -> None:
    clauses = in_clauses("没有幂等时，重试会存储重复记录")
    assert clauses.count('<span class="clause">') == 2
    assert in_clauses("发出即忘") == "发出即忘"
    assert "clause" not in in_clauses("acks=1, or acks=all?")


def test_a_name_from_a_file_is_escaped() -> None:
    assert "&lt;b&gt;-0" in headline("<b>-0")
