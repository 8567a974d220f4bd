"""What people type is found: every query that failed in a first walk through the site, and the first results."""

from __future__ import annotations

import re
from functools import cache
from operator import attrgetter

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Error
from engine.explain.errors import ERRORS
from engine.explain.exceptions import exception_name
from engine.explain.sentences import LANGUAGES
from engine.scenario.shelf import library
from engine.scenario.tracks import tracks
from eosviz.reference import search_index, search_terms
from eosviz.reference.views import FAR_SHOWN, QUESTION_LENGTH


@cache
def answered(question: str, language: str) -> search_index.Answer:
    """Return the answer; a question that several tests ask is answered only once."""
    return search_index.answer(question, language)


SOUGHT = [
    ("hanging", {"scenario": "SC-101", "term": "hanging_transaction"}),
    ("stuck", {"scenario": "SC-101", "track": "a-transaction-is-stuck"}),
    ("my transaction is stuck", {"scenario": "SC-101", "track": "a-transaction-is-stuck"}),
    ("LSO", {"scenario": "SC-75", "term": "last_stable_offset"}),
    ("2PC", {"scenario": "SC-80", "track": "two-phase-commit", "term": "two_phase_commit"}),
    ("outbox", {"scenario": "SC-162"}),
    ("exactly once", {"scenario": "SC-50", "track": "exactly-once", "term": "exactly_once"}),
    ("exactly-once", {"scenario": "SC-50", "track": "exactly-once", "term": "exactly_once"}),
    ("consume-transform-produce", {"scenario": "SC-50"}),
    ("KIP-890", {"scenario": "SC-101", "signature": "late-write"}),
    ("KIP-98", {"scenario": "SC-03"}),
    ("kip 447", {"scenario": "SC-146"}),
    ("TV2", {"scenario": "SC-157"}),
    ("KIP-664", {"scenario": "SC-101", "signature": "state-expired"}),
    ("KIP-360", {"scenario": "SC-33"}),
    ("KIP-588", {"scenario": "SC-128", "signature": "fenced-by-timeout"}),
    ("协调器", {"scenario": "SC-43", "term": "transaction_coordinator"}),
    ("精确一次", {"scenario": "SC-50", "track": "exactly-once", "term": "exactly_once"}),
    ("消费者组", {"scenario": "SC-74", "term": "group_coordinator"}),
    ("位移", {"scenario": "SC-50", "term": "offset"}),
    ("事务卡住了", {"scenario": "SC-101", "track": "a-transaction-is-stuck"}),
    ("为什么消费者读不到消息", {"scenario": "SC-75"}),
    ("我的事务一直没有提交", {"scenario": "SC-75"}),
    ("transaction never committed", {"scenario": "SC-75"}),
    ("kafka-dump-log", {"page": "replays:open_log"}),
    ("commit hangs", {"scenario": "SC-107", "signature": "completion-missing", "page": "replays:open_log"}),
    ("hangs", {"scenario": "SC-101", "page": "replays:open_log"}),
    ("last stable offset stuck", {"scenario": "SC-75", "page": "replays:open_log"}),
    ("读不到数据", {"scenario": "SC-75", "page": "replays:open_log"}),
    ("the commit is stuck", {"scenario": "SC-107"}),
    ("提交卡住", {"scenario": "SC-107"}),
    ("commit lost half way", {"scenario": "SC-55"}),
    ("提交到一半", {"scenario": "SC-55"}),
    ("marker is late", {"scenario": "SC-58"}),
    ("losing markers", {"scenario": "SC-58"}),
    ("标记迟到", {"scenario": "SC-58"}),
    ("标记丢失", {"scenario": "SC-58"}),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("question", "first"), SOUGHT)
def test_what_people_type_is_found_first(question: str, first: dict[str, str], language: str) -> None:
    found = search_index.answer(question, language).found
    assert {kind: found[kind][0].identifier for kind in first if kind in found} == first


def test_words_of_a_chinese_run_are_found_separately() -> None:
    found = search_index.answer("提交事务", "zh-Hans").found["scenario"]
    assert "SC-44" in [row.identifier for row in found]


ASKED = [
    ("duplicate after restart", "SC-04"),
    ("uncommitted messages are read", "SC-46"),
    ("abort takes long", "SC-150"),
    ("sendOffsetsToTransaction fails", "SC-74"),
    ("lost messages after broker crash", "SC-40"),
    ("offset jumps by 2", "SC-147"),
    ("participant does not answer", "SC-81"),
    ("coordinator waits for vote", "SC-81"),
    ("a vote is missing", "SC-81"),
    ("参与者没有响应", "SC-81"),
    ("协调者等待投票", "SC-81"),
    ("2PC blocking", "SC-87"),
    ("in doubt", "SC-87"),
    ("两阶段提交阻塞", "SC-87"),
    ("未决事务", "SC-87"),
    ("kafka transactional support fails after 1 week with gap in messages", "SC-149"),
    ("JPATransactionManager commit Kafka producer", "SC-159"),
    ("producer.init_transactions() always timing out", "SC-133"),
    ("Failed to initialize Producer ID: Local: Timed out", "SC-133"),
    ("Timeout expired while initializing transactional state in 60000ms.", "SC-156"),
    ("Authorization for Producers fail after upgrading to Kafka 3.2.x", "SC-155"),
    ("Kafka Consumer lag not zero when input topic transactional", "SC-147"),
    ("Proper value for TransactionalID", "SC-145"),
    ("sessions will always abort the next transaction after a rebalance", "SC-146"),
    ("Consumers with read_committed still see some messages from aborted transactions", "SC-46"),
    ("Message order is wrong, don't know why.", "SC-112"),
    ("repeated transactions with the same transaction ID", "SC-142"),
    ("how to setup the broker container to be able to support transaction API", "SC-156"),
    ("Idempotency violation with modern kafka clients", "SC-151"),
    ("End returns context canceled but offsets were committed", "SC-124"),
    ("[Question] Recovering from INVALID_PRODUCER_EPOCH", "SC-128"),
    ("test failed with InvalidProducerEpochException", "SC-128"),
    ("Offset Value inconsistent with AK after transaction rollback", "SC-147"),
    ("previous error (REBALANCE_IN_PROGRESS) already raised", "SC-146"),
    ("rd_kafka_commit_transaction failed, but messages were delivered", "SC-124"),
    ("Add CLI tool to manage lingering Kafka transactions", "SC-101"),
    ("dedicated transaction producer instances for each message", "SC-145"),
    ("Transactional producers issue errors following an upgrade to Kafka 3.7", "SC-157"),
    ("Enabling idempotency still allows producing same message twice", "SC-03"),
    ("Kafka transaction unable to rollback DB", "SC-159"),
    ("Failed to initialise Producer ID: Local: Timed out", "SC-133"),
    ("Bug: Kafka Backfill Hangs", "SC-148"),
    ("my consumer hangs at the end of the topic", "SC-148"),
    ("读取卡住，等不到最后一条", "SC-148"),
    ("if a task is reassigned in the middle of a transaction", "SC-146"),
    ("a partition moves to another instance", "SC-146"),
    ("任务被重新分配", "SC-146"),
    ("Abort results in: The producer attempted a transactional operation in an invalid state", "SC-45"),
    ('Cannot call "beginTransaction" in state "ABORTING" error', "SC-45"),
    ("should an error from EndTransaction re-initialize the producer ID/epoch?", "SC-103"),
    ("the end transaction times out", "SC-103"),
    ("结束事务超时", "SC-103"),
    ("message out of sequence added to a batch", "SC-112"),
    ("duplicate after broker crash", "SC-152"),
    ("records duplicated after the broker restarted", "SC-152"),
    ("What can cause RdKafkaRespErrFatal?", "SC-72"),
    ("Operation not valid in state ReadyNotAcked", "SC-133"),
    ("No such configuration property: enable.idempotence", "SC-07"),
    ("No transaction is in process", "SC-41"),
    ("commits even with exception", "SC-143"),
    ("every rebalance waits for records in the pipeline until maxDelayRebalance", "SC-146"),
    ("the committed offset was reverted", "SC-141"),
    ("what happens if an offset commit fails", "SC-141"),
    ("There is a newer producer with the same transactionalId: retrying", "SC-132"),
    ("abort after the transaction timeout: INVALID_TXN_STATE", "SC-129"),
    ("epoch exhaustion of an idempotent producer", "SC-38"),
    ("we still see duplicates in spite of exactly-once", "SC-52"),
    ("why does my consumer not see committed records", "SC-77"),
    ("my consumer does not see records", "SC-75"),
    ("did my commit succeed? connection lost", "SC-124"),
    ("my only producer got fenced, there is no second instance", "SC-128"),
    ("write to postgres and kafka in one transaction", "SC-159"),
    ("multiple instances with the same transactional.id get fenced", "SC-126"),
]
"""Sentences as people write them in a forum, each with a scenario that must be among the first three."""


@pytest.mark.parametrize(("question", "wanted"), ASKED)
def test_a_whole_sentence_leads_to_its_scenario(question: str, wanted: str) -> None:
    found = answered(question, "en").found
    assert wanted in [row.identifier for row in found["scenario"][:3]]


ASKED_IN_CHINESE = [
    ("一直读不到", "SC-75"),
    ("事务一直没有结束", "SC-75"),
    ("悬挂事务怎么处理", "SC-101"),
    ("为什么提交这么慢", "SC-150"),
    ("怎么保证顺序", "SC-30"),
    ("未提交的消息被读到", "SC-46"),
    ("重启后重复消费", "SC-52"),
    ("主节点宕机丢数据", "SC-40"),
    ("消费者读到重复数据", "SC-06"),
    ("消费者延迟一直不为 0", "SC-147"),
    ("启用了精确一次还是有重复", "SC-52 SC-04"),
    ("read_committed 消费者不动了", "SC-75"),
    ("生产者重启之后消息重复了，幂等为什么没有用", "SC-04"),
    ("开启了 exactly_once 但是重启应用后还是有重复数据", "SC-52 SC-51 SC-50 SC-04"),
    ("消费者一直读不到最新的消息，设置了 read_committed", "SC-75 SC-137 SC-101"),
    ("事务回滚了但是消费者还是收到了消息", "SC-46"),
    ("只有一个生产者却报 ProducerFencedException", "SC-153 SC-128"),
    ("Flink 写 Kafka 报事务超时时间大于 broker 允许的最大值", "SC-154"),
    ("initTransactions 一直超时，只有一个 broker", "SC-156 SC-133"),
    ("每个实例的 transactional.id 应该怎么设置", "SC-145"),
    ("消费者组的 lag 一直是 1，永远不会变成 0", "SC-147"),
    ("数据库提交成功了但是 Kafka 消息没有发出去", "SC-159 SC-162"),
    ("升级客户端之后报没有权限 Cluster authorization failed", "SC-155 SC-26"),
    ("消息顺序乱了，重试之后后面的消息先到", "SC-112 SC-29 SC-17"),
    ("leader 宕机之后已经确认的消息丢了", "SC-40"),
    ("连续开启事务报 CONCURRENT_TRANSACTIONS", "SC-48 SC-142"),
    ("rebalance 之后提交事务失败", "SC-146 SC-74"),
    ("生产者空闲一周后报 producer id 找不到", "SC-149 SC-116"),
    ("offset 每次增加 2，中间的消息去哪里了", "SC-147 SC-44"),
    ("提交事务超时了，可以回滚吗", "SC-49 SC-103 SC-129"),
    ("发送超时但是消息实际上写进去了", "SC-37 SC-144"),
    ("OUT_OF_ORDER_SEQUENCE_NUMBER 但我是按顺序发送的", "SC-152"),
    ("怎么找到卡住的事务并且中止它", "SC-101"),
    ("事务提交很慢，吞吐量很低", "SC-150"),
    ("消费 处理 生产 怎样做到只处理一次", "SC-50"),
    ("消息轮询间隔太长被踢出消费者组", "SC-146 SC-165 SC-166"),
    ("用了恰好一次，为什么还有重复", "SC-52 SC-04 SC-51"),
    ("消费者读到了还没有提交的记录", "SC-46 SC-47"),
    ("为什么消费者看不到已提交的记录", "SC-77 SC-47 SC-135"),
]
ASKED_IN_CHINESE_APART = [
    ("同一个 transactional.id 启动了两个实例会怎样", "SC-126 SC-61 SC-153"),
    ("事务中止之后消费者跳过了一些输入", "SC-143"),
    ("压缩主题里的事务标记为什么不删除", "SC-139"),
    ("broker 重启后报重复序列号或者乱序", "SC-119 SC-152"),
    ("producer 发送成功但是 topic 里没有消息", "SC-03 SC-40 SC-01 SC-166"),
    ("读到末尾的任务一直不结束", "SC-148"),
    ("协调器宕机时事务会提交还是中止", "SC-53 SC-54 SC-55 SC-124"),
    ("发件箱的消息被发送了两次", "SC-162"),
    ("写入 MySQL 出现重复行", "SC-161 SC-160"),
    ("kafka 3.x 升级到 4.x 之后事务报错", "SC-157 SC-92"),
    ("max.block.ms 超时后能再次调用 initTransactions 吗", "SC-133"),
    ("epoch 用完了会怎么样", "SC-131 SC-64 SC-38"),
    ("为什么 producer id 不连续", "SC-134"),
    ("事务超时后提交报 InvalidTxnState", "SC-129"),
    ("重启后消费者从头开始消费", "SC-141 SC-51"),
    ("spark 读取事务主题报缺少偏移量", "SC-147 SC-148"),
]
"""Questions for which the table of words was not tuned."""


ABOUT_LOGS = [
    ("my transaction is stuck, how do I read the log", "en"),
    ("can I open the log files of my broker here", "en"),
    ("我的事务卡住了怎么看日志", "zh-Hans"),
    ("怎么查看 broker 的日志文件", "zh-Hans"),
]


@pytest.mark.parametrize(("question", "language"), ABOUT_LOGS)
def test_who_asks_how_to_read_a_log_finds_its_page_beside_the_scenarios(question: str, language: str) -> None:
    found = answered(question, language).found
    assert set(list(found)[:2]) == {"scenario", "page"}
    assert found["page"][0].identifier == "replays:open_log"


@pytest.mark.parametrize(("question", "language"), [("two-phase commit", "en"), ("两阶段提交", "zh-Hans")])
def test_two_phase_commit_finds_the_scenarios_of_the_middleware_first(question: str, language: str) -> None:
    found = answered(question, language).found["scenario"]
    assert [row.identifier for row in found[:4]] == ["SC-80", "SC-81", "SC-83", "SC-88"]


@pytest.mark.parametrize("question", ["相同的 transactional.id", "同一个 transactional.id 被两个实例使用"])
def test_one_id_in_two_instances_is_a_question_of_fencing_before_one_of_choice(question: str) -> None:
    assert answered(question, "zh-Hans").found["scenario"][0].identifier == "SC-126"


def is_found_in_chinese(question: str, wanted: str) -> bool:
    found = answered(question, "zh-Hans").found
    return any(row.identifier in wanted.split() for row in found.get("scenario", [])[:3])


@pytest.mark.parametrize(("question", "wanted"), ASKED_IN_CHINESE)
def test_a_chinese_sentence_leads_to_its_scenario(question: str, wanted: str) -> None:
    assert is_found_in_chinese(question, wanted)


def test_most_chinese_sentences_that_the_table_was_not_tuned_on_lead_to_their_scenarios() -> None:
    missed = [
        question for question, wanted in ASKED_IN_CHINESE_APART if not is_found_in_chinese(question, wanted)
    ]
    assert len(missed) <= 2, missed


def test_the_text_of_an_error_finds_the_error_first() -> None:
    found = search_index.answer(
        "The producer attempted a transactional operation in an invalid state", "en"
    ).found
    assert found["error"][0].identifier == "INVALID_TXN_STATE"


def test_an_error_that_shares_everyday_words_does_not_stand_before_scenarios() -> None:
    question = "The message appears in the topic and I won't see log message about abort transaction."
    found = search_index.answer(question, "en").found
    assert "error" in found
    assert next(iter(found)) == "scenario"


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("upgrading", "upgrade"),
        ("aborts", "abort"),
        ("TransactionalID", "transactional id"),
        ("isolation_level", "isolation level"),
        ("transaction.timeout.ms", "transaction.timeout.ms"),
    ],
)
def test_a_word_of_a_row_is_known_with_other_endings_and_separators(typed: str, known: str) -> None:
    (wish,) = search_terms.understand(typed)
    assert wish.text == known or known in search_terms.plain(typed)
    assert wish.leads


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("max.poll.interval.ms", "SC-165"),
        ("session.timeout.ms", "SC-165"),
        ("rd_kafka_query_watermark_offsets", "SC-148"),
        ("rd_kafka_abort_transaction", "SC-46"),
        ("begin_transaction", "SC-41"),
        ("message.timeout.ms", "SC-16"),
        ("request.required.acks", "SC-40"),
        ("txn_requires_abort", "SC-72"),
        ("processing.guarantee", "SC-50"),
        ("DeliveryGuarantee.EXACTLY_ONCE", "SC-158"),
        ("FindCoordinator", "SC-42"),
        ("DescribeProducers", "SC-101"),
    ],
)
def test_a_setting_or_a_function_of_a_client_leads_to_its_scenario(name: str, wanted: str) -> None:
    found = search_index.answer(name, "en").found
    assert found["scenario"][0].identifier == wanted


def test_a_word_of_no_row_is_found_with_another_ending() -> None:
    (wish,) = search_terms.understand("truncating")
    assert wish.typed.search("the log is truncated")
    assert wish.typed.search("truncation")
    assert not wish.typed.search("untruncated")


SHOWN_BY_NO_RUN = {
    Error.FENCED_LEADER_EPOCH,
    Error.INELIGIBLE_REPLICA,
    Error.INVALID_RECORD,
    Error.TRANSACTIONAL_ID_NOT_FOUND,
    Error.UNKNOWN_TOPIC_ID,
}


@pytest.mark.parametrize("error", sorted(ERRORS.keys() - SHOWN_BY_NO_RUN, key=attrgetter("name")))
def test_an_error_leads_to_a_scenario_by_its_name_and_by_its_exception(error: Error) -> None:
    joined = "".join(part.capitalize() for part in error.name.split("_"))
    exception = exception_name(error)
    for name in (error.name, joined, exception, f"org.apache.kafka.common.errors.{exception}"):
        assert any(wish.leads for wish in search_terms.understand(name)), name


@pytest.mark.parametrize(
    "question",
    [
        "INVALID_PRODUCER_ID_MAPPING",
        "invalid_producer_id_mapping",
        "InvalidPidMappingException",
        "InvalidPidMapping",
        "org.apache.kafka.common.errors.InvalidPidMappingException",
        "what does InvalidPidMapping mean?",
    ],
)
def test_the_name_of_an_error_finds_the_error_first(question: str) -> None:
    kinds = search_index.answer(question, "en").found
    assert list(kinds)[:2] == ["error", "scenario"]
    assert kinds["error"][0].identifier == "INVALID_PRODUCER_ID_MAPPING"


@pytest.mark.parametrize(
    "question", ["[Bug]: hanging", "[FLINK-39218][Kafka] hanging", "fix(kafka): hanging"]
)
def test_what_stands_before_a_title_is_no_term(question: str) -> None:
    assert [wish.text for wish in search_terms.understand(question)] == ["hanging"]


def test_a_word_counts_where_it_stands_alone() -> None:
    assert "fenced" not in [wish.text for wish in search_terms.understand("my_fenced_topic")]
    assert "fenced" in [wish.text for wish in search_terms.understand("my_fenced_topic is fenced")]


def test_words_of_a_row_are_known_in_another_order_and_apart() -> None:
    wishes = search_terms.understand("duplicates although we enabled idempotence")
    extra = next(wish for wish in wishes if wish.is_extra)
    assert extra.leads[0] == "sc-151"


@pytest.mark.parametrize("typed", ["produscers", "prodcers", "porducers"])
def test_a_typing_error_is_read_as_the_word_that_was_meant(typed: str) -> None:
    wish = search_terms.understand(typed)[0]
    assert search_terms.corrected(wish, {"producers", "product", "consumers"}) == "producer"


def test_a_word_that_could_be_two_is_left_as_it_is() -> None:
    wish = search_terms.understand("tuested")[0]
    assert search_terms.corrected(wish, {"tested", "trusted"}) == "test"
    assert search_terms.corrected(search_terms.understand("bests")[0], {"rests", "tests"}) is None


def test_middleware_comes_first_only_if_the_question_is_about_it() -> None:
    def first(question: str) -> str:
        return search_index.answer(question, "en").found["scenario"][0].identifier

    assert first("the local Kafka transaction fails and the producer stops") != "SC-82"
    assert first("the local transaction fails after a participant has voted") in {"SC-80", "SC-81", "SC-82"}


def test_a_call_is_known_by_the_names_in_it() -> None:
    found = search_index.answer("KafkaTemplate.executeInTransaction() swallows the exception", "en").found
    assert "SC-41" in [row.identifier for row in found["scenario"]][:3]
    assert search_terms.roots_of("EoS") == search_terms.roots_of("EOS")
    assert search_terms.roots_of("KafkaJSProtocolError") == search_terms.roots_of("KafkaJS protocol error")
    assert search_terms.roots_of("APIs") == search_terms.roots_of("apis")


def test_a_part_of_kafka_that_lessons_only_touch_has_a_lesson_if_another_term_leads_to_one() -> None:
    assert search_index.answer("remote storage retention of old segments is wrong", "en").is_far
    asked = search_index.answer("RemoteLogManager: segments are not copied to tiered storage", "en")
    assert not asked.is_far
    assert asked.found["scenario"][0].identifier == "SC-137"


def test_a_name_of_a_program_is_known_by_its_words_where_it_stands_nowhere() -> None:
    (wish,) = search_terms.understand("GroupTransactSession")
    assert [part.text for part in search_terms.in_parts(wish, lambda text: False)] == [
        "group",
        "transact",
        "session",
    ]
    assert search_terms.in_parts(wish, lambda text: True) == [wish]


@pytest.mark.parametrize(
    "question", ["zombie", "marker", "INVALID_PRODUCER_EPOCH", "fenced by a newer instance", "日志"]
)
def test_scenarios_come_no_later_than_second(question: str) -> None:
    assert "scenario" in list(search_index.answer(question, "en").found)[:2]


def test_a_long_text_that_has_every_term_by_chance_does_not_hide_what_is_meant() -> None:
    question = "stuck transactions by aborting expired transactions"
    assert search_index.answer(question, "en").found["scenario"][0].identifier == "SC-101"


@pytest.mark.django_db
def test_where_no_entry_has_every_word_the_closest_are_found(client: Client) -> None:
    question = "hanging transaction, LSO, xylophone"
    assert search_index.answer(question, "en").is_partial
    assert "SC-75" in [row.identifier for row in search_index.answer(question, "en").found["scenario"]][:3]
    page = client.get("/search/", {"q": question}).content.decode()
    assert "The best matches come first." in page
    assert "No entry" not in page


@pytest.mark.django_db
@pytest.mark.parametrize(
    "question", ["commit hangs", "marker", "app froze", "it is stuck", "everything twice"]
)
def test_a_page_says_that_words_are_marked_only_if_some_are(client: Client, question: str) -> None:
    page = client.get("/search/", {"q": question}).content.decode()
    assert ("<mark>" in page) == ("Matching words and synonyms are highlighted." in page)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "question",
    [
        "schema registry returns 409 incompatible schema",
        "mirror maker does not sync topic configs",
        "React component does not re-render",
        "SSL handshake failed when connecting to bootstrap server",
        "Avro deserialization exception unknown magic byte",
        "OAuth token refresh fails in SASL OAUTHBEARER",
        "tiered storage deletes segments too early",
    ],
)
def test_where_nothing_fits_the_page_says_so_and_offers_the_questions_of_the_library(
    client: Client, question: str
) -> None:
    page = client.get("/search/", {"q": question}).content.decode()
    assert "No entry fits this question well." in page
    assert "?topic=readers-wait" in page
    assert 0 < page.count(f'href="{reverse("walkthroughs:new")}?scenario=') <= FAR_SHOWN
    assert "The best matches come first." not in page


def test_few_questions_that_have_a_lesson_are_called_far() -> None:
    asked = [(question, "en") for question, _ in ASKED]
    asked += [(question, "zh-Hans") for question, _ in ASKED_IN_CHINESE + ASKED_IN_CHINESE_APART]
    assert [question for question, language in asked if answered(question, language).is_far] == []


def test_words_that_match_are_marked_to_their_end_and_the_text_stays_whole() -> None:
    pieces = search_index.in_pieces("A log is Truncated.", search_terms.understand("truncating"))
    assert pieces == [("A log is ", False), ("Truncated", True), (".", False)]
    assert ("标记", True) in search_index.in_pieces("写入标记之前", search_terms.understand("标记"))


def test_a_single_chinese_character_is_marked_only_if_the_search_is_no_more_than_that() -> None:
    """“会” of a question is not the “会” of “会话”."""
    asked = search_terms.understand("超时后重试会重复吗")
    assert not any(matched for _, matched in search_index.in_pieces("新的会话", asked))
    assert ("会", True) in search_index.in_pieces("新的会话", search_terms.understand("会"))


def test_an_excerpt_is_the_part_with_the_most_terms() -> None:
    text = f"The marker comes. {'It ends. ' * 40}The marker holds its epoch. {'It ends. ' * 40}"
    shown = search_index.excerpt(text, search_terms.understand("marker epoch"))
    assert shown.startswith("… The marker holds its epoch.")
    text = f"AddPartitionsToTxn is sent. {'It ends. ' * 40}It gets INVALID_TXN_STATE."
    assert "INVALID_TXN_STATE" in search_index.excerpt(text, search_terms.understand("INVALID_TXN_STATE"))
    latin = f"{'之前得到' * 40}CONCURRENT_TRANSACTIONS，然后写入标记"
    assert search_index.excerpt(latin, search_terms.understand("标记"), 60).startswith(
        "… CONCURRENT_TRANSACTIONS"
    )


def test_what_is_typed_comes_before_what_means_the_same() -> None:
    by_word = search_index.answer("zombie", "en").found["term"]
    assert [row.identifier for row in by_word][:2] == ["zombie", "fencing"]


def test_every_scenario_that_a_row_leads_to_is_there() -> None:
    known = {search_terms.plain(found.id) for found in library()}
    led = {
        word for _, rows in search_terms._known() for row in rows for word in row if word.startswith("sc-")
    }
    assert led
    assert led <= known


def test_one_name_is_one_word_and_empty_words_are_passed_over() -> None:
    assert [wish.text for wish in search_terms.understand("INVALID_PRODUCER_ID_MAPPING")] == [
        "invalid_producer_id_mapping"
    ]
    assert [wish.text for wish in search_terms.understand("what is the LSO?")] == ["lso"]
    assert [wish.text for wish in search_terms.understand("为什么")] == ["为什么"]


@pytest.mark.django_db
class TestPage:
    def test_it_shows_the_best_of_each_kind_and_counts_the_others(self, client: Client) -> None:
        page = client.get("/search/", {"q": "marker"}).content.decode()
        rules = len(search_index.answer("marker", "en").found["requirement"])
        assert f"<small>{rules}</small>" in page and "kind=requirement" in page
        whole = client.get("/search/", {"q": "marker", "kind": "requirement"}).content.decode()
        assert len(re.findall("/reference/requirements/[A-Z]", whole)) == rules

    def test_matched_words_are_marked_and_texts_are_escaped(self, client: Client) -> None:
        page = client.get("/search/", {"q": "marker"}).content.decode()
        assert "<mark>Markers</mark>" in page
        assert (
            "<script>"
            not in client.get("/search/", {"q": "marker <script>"}).content.decode().split("<main")[1]
        )

    def test_what_matches_best_stands_before_the_scenarios(self, client: Client) -> None:
        page = client.get("/search/", {"q": "zombie"}).content.decode()
        places = [
            page.index(mark) for mark in ("matches-others", "found-term", "matches-lessons", "found-scenario")
        ]
        assert places == sorted(places)
        assert "best-before-lessons" in page
        assert "best-before-lessons" not in client.get("/search/", {"q": "LSO SC-75"}).content.decode()
        only = client.get("/search/", {"q": "zombie", "kind": "term"}).content.decode()
        assert "matches-others" not in only

    def test_a_kind_that_is_not_there_is_as_none(self, client: Client) -> None:
        both = [
            client.get("/search/", {"q": "marker", **more}).content.decode().count("<h2")
            for more in ({}, {"kind": "x"})
        ]
        assert both[0] == both[1] > 3

    def test_the_old_address_and_every_field_lead_here(self, client: Client) -> None:
        assert client.get("/reference/search/", {"q": "lso"})["Location"] == "/search/?q=lso"
        for address in ("/library/", "/reference/", "/search/"):
            assert 'action="/search/"' in client.get(address).content.decode()

    def test_a_question_without_an_answer_gets_words_that_have_one(self, client: Client) -> None:
        page = client.get("/search/", {"q": "qqqq"}).content.decode()
        assert 'href="?q=stuck"' in page
        assert search_index.answer("stuck", "en").found

    def test_tracks_lead_to_their_pages(self, client: Client) -> None:
        page = client.get("/search/", {"q": "stuck"}).content.decode()
        assert all(
            track.name != "a-transaction-is-stuck" or f"/tracks/{track.name}/" in page for track in tracks()
        )


def test_a_sentence_without_spaces_is_split_with_two_lookups_a_letter() -> None:
    asked_for: list[str] = []

    def is_there(text: str) -> bool:
        asked_for.append(text)
        return text in "消费者读消息"

    wish = search_terms.understand("者读不" * 30)[0]
    parts = [part.text for part in search_terms.in_parts(wish, is_there)]
    assert set(parts) == {"者读"}
    assert len(asked_for) <= 2 * len(wish.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_modelled_is_found_line_by_line(language: str) -> None:
    found = search_index.answer("Redpanda", language).found["limit"]
    assert [row.identifier for row in found] == ["limit.other_brokers"]


@pytest.mark.django_db
def test_a_line_of_what_is_not_modelled_opens_at_its_place(client: Client) -> None:
    answer = client.get("/search/?q=Redpanda").content.decode()
    (address,) = re.findall(r'href="([^"]+#limit\.[^"]+)"', answer)
    page, _, line = address.partition("#")
    assert f'<li id="{line}">' in client.get(page).content.decode()


def test_a_page_that_shares_a_few_words_with_a_long_question_is_not_shown() -> None:
    found = search_index.answer(
        "Apache Flink jobs can't recover from a checkpoint using transactions", "en"
    ).found
    assert "scenario" in found and not {"page", "limit"} & set(found)


def test_the_texts_of_two_errors_both_lead_to_a_lesson() -> None:
    question = (
        "The producer attempted a transactional operation in an invalid state. "
        "There is a newer producer with the same transactionalId which fences the current one"
    )
    found = [row.identifier for row in search_index.answer(question, "en").found["scenario"]]
    assert {"SC-129", "SC-153"} <= set(found)


@pytest.mark.django_db
def test_a_whole_line_of_a_log_leads_to_the_lesson_of_its_exception(client: Client) -> None:
    line = (
        "2024-03-12 10:11:12,345 ERROR [kafka-producer-network-thread | producer-txn-payments-7] "
        "o.a.k.c.p.internals.Sender : [Producer clientId=producer-txn-payments-7, "
        "transactionalId=txn-payments-7] Aborting producer batches due to fatal error "
        "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer with the same "
        "transactionalId which fences the current one."
    )
    page = client.get("/search/", {"q": line}).content.decode()
    assert "SC-153" in page
    assert page.count("maxlength=") == page.count(f'maxlength="{QUESTION_LENGTH}"') > 0


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("new transaction right after commit refused", "en"),
        ("next transaction too soon after commit", "en"),
        ("commit returned but next transaction is rejected", "en"),
        ("previous transaction still completing when I start another", "en"),
        ("starting the next transaction quickly after the previous one", "en"),
        ("add partitions refused just after commit", "en"),
        ("下一个事务开始得太早", "zh-Hans"),
        ("上一个事务还没完成就开始新事务", "zh-Hans"),
        ("提交刚返回就开始下一个事务报错", "zh-Hans"),
        ("提交之后马上再开事务 CONCURRENT_TRANSACTIONS", "zh-Hans"),
    ],
)
def test_a_transaction_that_begins_too_soon_leads_to_its_two_scenarios(question: str, language: str) -> None:
    found = answered(question, language).found["scenario"]
    assert {row.identifier for row in found[:2]} == {"SC-48", "SC-142"}


def test_two_everyday_words_of_many_do_not_find_the_whole_reference() -> None:
    found = answered("commit returned but next transaction is rejected", "en").found
    assert sum(len(rows) for kind, rows in found.items() if kind != "scenario") < 10
