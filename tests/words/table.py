"""Which words texts use, which they must not use, and why: one table for catalogues, scenarios, samples, documents
and pseudocode.

docs/glossary.md lists the terms themselves.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from eosviz.launch.places import ROOT

ENGLISH, CHINESE = "en", "zh-Hans"

ROOMS = (
    "engine",
    "eosviz/catalogue",
    "eosviz/operating",
    "eosviz/pipeline",
    "eosviz/reference",
    "eosviz/scenarios",
    "docs/examples",
)
"""All folders that contain texts in both languages."""
ASKED = "asked.toml"
"""A file with the words that people search for, and earlier titles of scenarios. No page shows it."""

CODE = "code line "
"""How the keys of lines of pseudocode begin."""

HAN = "[\u3400-\u9fff]"
HALF_WIDTH = rf"{HAN}[,:;!?(]|[,:;!?] ?{HAN}|\){HAN}"
"""Matches an English punctuation mark beside a Chinese character."""
UNSPACED = rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}"


@dataclass(frozen=True)
class Rule:
    """A pattern that no text may contain.

    ``bad`` is a text that breaks the rule, ``good`` is what to write instead. ``but`` lists keys (or their
    beginnings) that may break it, each with the reason. ``keys`` restricts the rule to keys that match. With
    ``slots``, the pattern also applies to ``{names}``, which are hidden otherwise. With ``documents``, an English
    rule also applies to docs/ and the README; a Chinese rule always applies to their Chinese.
    """

    why: str
    language: str
    wrong: str
    bad: str
    good: str
    but: dict[str, str] = field(default_factory=dict)
    keys: str = ""
    slots: bool = False
    documents: bool = False

    def breaks(self, text: str) -> bool:
        return re.search(self.wrong, text if self.slots else plain(text)) is not None

    def allows(self, key: str) -> bool:
        return any(key.startswith(beginning) for beginning in self.but)


@dataclass(frozen=True)
class Said:
    """A text with its file, its key in this file (in a document, the line number) and its language."""

    file: str
    key: str
    language: str
    text: str


PEOPLE = "a person answers a question of the page"
SEARCHED = "a list of words to search with, parted by commas when it is read"

TERMS = {
    "协调者": ("协调器|coordinator epoch", "协调器返回错误"),
    "序列号": ("(?<!列)序号", "序号重复"),
    "偏移量": ("位移|位点|(?<![-_a-z.])offset(?![_a-z.])", "提交位移"),
    "消费组": ("消费者组", "消费者组的偏移量"),
    "恰好一次": ("精确一次|恰一次", "精确一次语义"),
    "生产者 ID": ("(?<![_a-z])producer [iI][dD]|生产者 id", "新的 producer id"),
    "事务 ID": ("(?<![_a-z])transactional id", "同一 transactional id"),
    "生产者 epoch": ("producer epoch", "提升 producer epoch"),
    "号段": ("区块", "PID 区块"),
    "响应": ("答复|应答", "没有收到应答"),
    "leader": ("领导|首领", "新的领导者"),
    "崩溃": ("宕机", "broker 宕机"),
    "工作坊": ("(?<!作)工坊", "打开工坊"),
    "教师": ("老师", "只有老师可以"),
    "账户": ("账号", "没有账号"),
    "你": ("您", "请您登录"),
    "再均衡": ("重新平衡|再平衡", "消费组再平衡"),
    "破坏": ("打破", "保证被打破"),
    "ms": (r"[\d}] ?毫秒", "等待 {wait} 毫秒"),
    "组件": ("参与者之间的消息|其他参与者使用", "没有被其他参与者使用的名称"),
    "派生事实": ("推导出的事实", "推导出的事实"),
    "乱序": ("失去顺序|顺序错乱|顺序丢失", "多 {by} 条记录顺序错乱"),
    "滞后": ("消费延迟|延迟（lag）|积压", "消费延迟停在 1"),
    "定时器": ("计时器", "计时器到期"),
    "稍后": ("稍候", "请稍候再试。"),
    "无法连接": ("无法到达|恢复可连接", "broker 有两分钟无法到达"),
    "运维人员": ("操作员", "需要操作员处理"),
    "管理员": ("服务器的维护者", "请告知服务器的维护者。"),
    "CommitOk": (r"(?<![A-Za-z])[A-Z][a-z]+-(ok|fail|ack|reply)\b", "响应 Commit-ok"),
    "已中止事务索引": ("(?<!已)中止事务的?索引", "中止事务索引未能写入"),
}
"""Chinese term → a pattern of other words for it, and a text with such a word."""

ENGLISH_RULES = (
    Rule(
        "a plural has its number in it",
        ENGLISH,
        r"\{(\w+)\} \{\1:",
        "{count} {count:record|records}",
        "{count:record|records}",
        slots=True,
    ),
    Rule(
        "a component is the subject",
        ENGLISH,
        r"\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ee]verybody|[Aa]nybody|[Ss]omeone|the one who)\b",
        "Somebody requests {transactional_id}.",
        "Another producer requests {transactional_id}.",
        documents=True,
    ),
    Rule(
        "a client receives, a page shows",
        ENGLISH,
        r"\b(told|tells|news)\b",
        "The client is told the error.",
        "The client receives the error.",
        documents=True,
    ),
    Rule(
        "a state is, it does not stand or lie",
        ENGLISH,
        r"\b([Ss]tands?|[Ll]ies|stood)\b",
        "The last stable offset stands at {offset}.",
        "The last stable offset is {offset}.",
    ),
    Rule(
        "Kafka's verbs and plain ones",
        ENGLISH,
        r"\b(crosses off|takes? off|off the queues|stands against|patience|so many|becomes of|for good|any more)\b",
        "What becomes of the batch?",
        "What happens to the batch?",
    ),
    Rule(
        "no metaphors",
        ENGLISH,
        r"\b([Tt]wins?|asleep|[Ww]alls?|vetoes|[Hh]eart|[Mm]emory survives|sleeper)\b",
        "The twin wakes up and meets a wall.",
        "The second instance starts and is fenced.",
    ),
    Rule(
        "a broker responds; an answer is what a person gives",
        ENGLISH,
        r"\b([Aa]nswers?|answered|answering)\b",
        "{broker} answers with NONE.",
        "{broker} responds with NONE.",
        {
            "problem.poll": PEOPLE,
            "problem.no_choice": PEOPLE,
            "problem.followers_heard": PEOPLE,
            "problem.only_followers": PEOPLE,
            "problem.why_unknown": PEOPLE,
            "problem.too_often.say": PEOPLE,
            "poll.": PEOPLE,
            "builder.group.lesson": PEOPLE,
            "classroom.": PEOPLE,
            "form.field.scenario.question": "the question of the library",
            "front.map": "the question of the library",
            "player.why": "the answer to *Why?*",
            "stage.chain.link": "the answer to *Why?*",
            "predict.waits": PEOPLE,
            "tracks.introduction": PEOPLE,
            "model": PEOPLE,
            "field.answer": PEOPLE,
            "choice.audience": PEOPLE,
        },
    ),
    Rule(
        "a consumer, by its isolation level; a reader is a person before a page",
        ENGLISH,
        r"\b[Rr]eaders?\b(?!-)",
        "Readers of committed data wait.",
        "read_committed consumers wait.",
        {"share.language": "of the page"},
    ),
    Rule(
        "the setting's real name",
        ENGLISH,
        r"(?<!\{)\b(max_block_ms|max_in_flight|max_request_size|linger_ms|batch_size|delivery_timeout_ms)\b",
        "It waits for linger_ms.",
        "It waits for linger.ms.",
        {"refused.too_many_in_flight.remedy": "the field of a scenario's document"},
        slots=True,
    ),
    Rule(
        "ranges are inclusive, with an en dash: the offset after the last is not in one",
        ENGLISH,
        r"offsets? \{[a-z_]+\} up to \{|\{(?:first|base)_[a-z_]+\} ?(?:-|to|\.\.) ?\{",
        "offsets {first_offset} up to {next_offset}",
        "offsets {first_offset}–{last_offset}",
        slots=True,
    ),
    Rule(
        "a moment is “t = N ms”, a duration “for N ms”",
        ENGLISH,
        r"\b(at|until|since|from) (?:virtual time )?\{[a-z_]+\} ms",
        "The timer ends at {until} ms.",
        "The timer ends at t = {until} ms.",
        slots=True,
    ),
    Rule(
        "an epoch is raised",
        ENGLISH,
        r"\bbump(s|ed|ing)?\b",
        "The client bumps its epoch.",
        "The client raises its epoch.",
    ),
    Rule(
        "ids are spelt as in the glossary",
        ENGLISH,
        r"\b([Pp]roducer IDs?|[Tt]ransactional IDs?|[Pp]roducerId)\b",
        "a new producer ID",
        "a new producer id",
    ),
    Rule(
        "one space, and none before a mark",
        ENGLISH,
        r"(?<=\S)  (?=\S)|\w [,;:!?](\s|$)",
        "Nothing is stored , so the client retries.",
        "Nothing is stored, so the client retries.",
    ),
    Rule(
        "a title says the concept or the question",
        ENGLISH,
        r"\b(nobody|comes? too late|on its own|by surprise|the hard way)\b",
        "The answer that nobody got",
        "The response to EndTxn is lost",
        keys=r"(^|/)title$",
    ),
    Rule(
        "an error's comparison sets one thing against another",
        ENGLISH,
        r"\bwith\b",
        "The epoch in the request with the stored one.",
        "The epoch in the request against the stored one.",
        keys=r"^error\..*\.compared$",
    ),
    Rule(
        "a person types a string; a text is what a person writes",
        ENGLISH,
        r"\ba text\b",
        "{value} is not a text",
        "{value} is not a string",
    ),
    Rule(
        "a bound is said before its noun",
        ENGLISH,
        r"\ba list of [a-z ]+, at most\b",
        "a list of names, at most {bound}",
        "a list of at most {bound} names",
    ),
    Rule(
        "to and from",
        ENGLISH,
        r"\bfrom (and|or) to\b",
        "all messages in transit from and to {actor}",
        "all messages in transit to and from {actor}",
        documents=True,
    ),
    Rule(
        "British spelling; a state is in capitals",
        ENGLISH,
        r"\b(un)?initializ(e|ed|es|ing|ation)\b",
        "the coordinator initialized {transactional_id}",
        "the coordinator initialised {transactional_id}",
    ),
    Rule(
        "a value is in a request, it has not arrived itself",
        ENGLISH,
        r"\barrived (first|last|epoch|producer|coordinator|seq)",
        "arrived first sequence",
        "first sequence in the request",
    ),
    Rule(
        "participants have different outcomes",
        ENGLISH,
        r"\bends? differently\b",
        "The participants end differently.",
        "The participants end with different outcomes.",
    ),
    Rule(
        "a request or response is its sender's, a marker is for its receiver",
        ENGLISH,
        r"\b(request|response|markers?) of \{",
        "{broker} refuses the request of {client}.",
        "{broker} refuses {client}'s request.",
        slots=True,
    ),
    Rule(
        "a component reports something, and does not say so",
        ENGLISH,
        r"\bsays so in its\b",
        "{participant} keeps its state and says so in its response",
        "{participant} keeps its state and reports this in its response",
        documents=True,
    ),
    Rule(
        "a hash maps to a partition",
        ENGLISH,
        r"\bhash\b[^.]*\bgives\b",
        "The hash of the key gives a partition.",
        "The hash of the key maps to a partition.",
    ),
    Rule(
        "a person opens files",
        ENGLISH,
        r"\b[Gg]ive (its|the|a|fewer) ([a-z]+ )*(folder|folders|files|segments|directory)\b",
        "Give its partition folder, with the segments.",
        "Open its partition folder, with the segments.",
    ),
    Rule(
        "a message is called by the name of its API",
        ENGLISH,
        r"\b[A-Z][a-z]+-(ok|fail|ack|reply)\b",
        "{participant} responds with Commit-ok.",
        "{participant} responds with CommitOk.",
        documents=True,
    ),
    Rule(
        "a title is no participle",
        ENGLISH,
        r"^(Restarted|Replaced|Raised|Rolled|Injected|Resent|Not [a-z]+ed)\b(?!:)",
        "Restarted, the next offset committed",
        "Restart with the next offset committed",
        keys=r"(^|/)title$",
    ),
)

CHINESE_RULES = (
    Rule(
        "a component is the subject",
        CHINESE,
        "(?<!所)有人|谁|别人|无人",
        "有人请求同一事务 ID。",
        "另一个生产者请求同一事务 ID。",
        {"hands.none": "people raise hands"},
    ),
    Rule(
        "no metaphors",
        CHINESE,
        "双胞胎|主人|沉睡|墙|静音|静默|陌生人|挡在外面",
        "双胞胎醒来。",
        "第二个实例启动。",
    ),
    Rule(
        "a broker has state or has none, it does not remember",
        CHINESE,
        "算数|(?<!标)记得|忘掉|忘记|记住",
        "broker 不记得该生产者。",
        "broker 没有该生产者的状态。",
        {"accounts.": "a password is forgotten by a person"},
    ),
    Rule(
        "副本 is a replica only",
        CHINESE,
        "第二份副本|旧副本|副本会被存储|(数据|文件|会话)的?副本",
        "日志中有第二份副本。",
        "日志中存了两次。",
    ),
    Rule(
        "a consumer; a reader is a person before a page",
        CHINESE,
        "读者",
        "读者等待。",
        "消费者等待。",
        {"share.language": "of the page"},
    ),
    Rule("pausing, not sleeping", CHINESE, "停顿", "发送停顿 70 ms。", "暂停发送 70 ms。"),
    Rule(
        "a moment is “第 N ms”, a duration “N ms”",
        CHINESE,
        r"t = [\d{]",
        "到 t = {until} ms 超时。",
        "第 {until} ms 超时。",
        slots=True,
    ),
    Rule(
        "full-width marks",
        CHINESE,
        HALF_WIDTH,
        "没有存储, 需要重试",
        "没有存储，需要重试",
        {
            "search.suggestions": SEARCHED,
            "player.nothing_to.panel": "names the key `?`",
            CODE: "pseudocode has the marks of code",
        },
    ),
    Rule(
        "a space between Latin and Chinese",
        CHINESE,
        UNSPACED,
        "发给broker",
        "发给 broker",
    ),
    Rule(
        "no space beside a full-width mark",
        CHINESE,
        "[，。；：、（）] | [，。；：、）]",
        "已存储 ，无需重试",
        "已存储，无需重试",
    ),
    Rule(
        "a comparison is a sentence: 比较 X 与 Y",
        CHINESE,
        "比较[。；]",
        "请求的 epoch 与已存的 epoch 比较。",
        "比较请求的 epoch 与已存的 epoch。",
        keys=r"^error\..*\.compared$",
    ),
    Rule(
        "what is lost, sent or stored has a name: 请求, 消息, 记录",
        CHINESE,
        "什么(也|都)(?!不做)|的一切",
        "{consumer} 什么也得不到。",
        "{consumer} 得不到任何记录。",
        keys=r"\.",
    ),
    Rule(
        "a person may enter some values: 允许的取值, 只允许",
        CHINESE,
        "允许的是",
        "允许的是整数。",
        "只允许整数。",
    ),
    Rule(
        "an epoch is raised: 提升",
        CHINESE,
        "升高|epoch[^，。；：]*(?<!提)升到",
        "把 epoch 从 {before} 升到 {after}",
        "把 epoch 从 {before} 提升到 {after}",
    ),
    Rule(
        "a call fails, a broker returns an error: 失败（…）, 返回错误",
        CHINESE,
        r"以 \{[a-z_@.]*error[a-z_@.]*\} ?(失败|结束|响应|被拒绝)|以(服务器)?错误(响应|失败)|以 [A-Z_]{4,} ?失败",
        "{api} 以 {error} 失败",
        "{api} 失败（{error}）",
        slots=True,
    ),
    Rule(
        "a number is smaller; a state or an instance is old",
        CHINESE,
        r"旧于|epoch \{[a-z_]+\} 早于|过旧的?序列号|序列号过旧",
        "序列号 {first} 是否旧于应有的 {expected}？",
        "序列号 {first} 是否小于应有的 {expected}？",
        slots=True,
    ),
    Rule(
        "newer is 较新; 更新 is an update, too",
        CHINESE,
        "更新的|更新 epoch|更新拷贝",
        "协调者日志的更新拷贝",
        "协调者日志的较新拷贝",
    ),
    Rule(
        "a message arrives, a failure is noticed: 到达, 得知",
        CHINESE,
        "到来",
        "失败在下一个事务提交时到来",
        "下一个事务提交时，迟到的失败才到",
    ),
    Rule(
        "被 once in a clause",
        CHINESE,
        "被[^，。；：]{1,8}的[^，。；：]{1,8}的[^，。；：]{1,8}被",
        "被取代的协调者的标记被拒绝",
        "旧协调者发出的标记被拒绝",
    ),
    Rule(
        "what a person did has its verb: 你加入的延迟",
        CHINESE,
        "^你的(?! )",
        "你的延迟",
        "你加入的延迟",
        keys=r"^cost\.",
    ),
    Rule(
        "a copy is at hand, an option is added: 现有拷贝, 请加上",
        CHINESE,
        "所给的?(拷贝|文件)|[，；]用 --",
        "如果它们是空的，用 --rest-empty",
        "如果它们是空的，请加上 --rest-empty",
    ),
    Rule(
        "有的 is some; what a run has exists in it",
        CHINESE,
        "运行有的",
        "改为本次运行有的节",
        "改成本次运行中存在的节",
    ),
    Rule(
        "由此 is read as one word, before a noun too",
        CHINESE,
        "由此(日志|案例|分支|回放)",
        "由此案例生成的场景",
        "根据此案例生成的场景",
    ),
    Rule("the time is virtual, not its unit", CHINESE, "虚拟 ms", "时间（虚拟 ms）", "虚拟时间（ms）"),
    Rule(
        "a message is late: 迟到, 到达过晚",
        CHINESE,
        "来得太|到得太|投票太",
        "响应来得太迟。",
        "响应到达过晚。",
    ),
    Rule(
        "a broker uses a level of a feature, it does not follow it",
        CHINESE,
        "立即跟随|跟随 transaction",
        "broker 立即跟随。",
        "broker 立即采用新级别。",
    ),
    Rule(
        "whether sequence numbers are lost is what the client takes for true",
        CHINESE,
        "：有序列号(永久)?丢失",
        "broker 却拒绝：有序列号丢失。",
        "broker 却拒绝它：{client} 认定有序列号丢失。",
    ),
    Rule(
        "an upload did not happen",
        CHINESE,
        "尚未上传",
        "文件过大，尚未上传任何内容。",
        "文件过大，因此没有上传任何内容。",
    ),
    Rule(
        "people come from a network address",
        CHINESE,
        "与你同一",
        "与你同一网络地址的所有人",
        "来自你所在网络地址的所有人",
    ),
    Rule("a time is measured by: 按 … 判断", CHINESE, "超时以", "超时以 {now} 为准", "按 {now} 判断是否超时"),
    *(
        Rule(f"one word for one thing: {word}", CHINESE, wrong, bad, word, slots=word == "ms")
        for word, (wrong, bad) in TERMS.items()
    ),
)

RULES = (*ENGLISH_RULES, *CHINESE_RULES)


def plain(text: str) -> str:
    """Return the text without the names of its slots, which may be words of either language."""
    return re.sub(r"\{[^}]*\}", "…", text)


def pairs(document: Any, key: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the key, the English and the Chinese of every text in both languages."""
    if isinstance(document, dict):
        if isinstance(document.get(ENGLISH), str) and isinstance(document.get(CHINESE), str):
            yield key, document[ENGLISH], document[CHINESE]
        else:
            for name, value in document.items():
                yield from pairs(value, f"{key}/{name}" if key else name)
    elif isinstance(document, list):
        for value in document:
            yield from pairs(value, key)


def texts() -> list[Said]:
    """Return all texts that exist in both languages."""
    files = (file for room in ROOMS for file in sorted((ROOT / room).rglob("*.toml")) if file.name != ASKED)
    return [
        Said(file.stem, key, language, text)
        for file in files
        for key, *both in pairs(tomllib.loads(file.read_text("utf-8")))
        for language, text in zip((ENGLISH, CHINESE), both, strict=True)
    ]


def lines() -> list[Said]:
    """Return the texts of docs/ and the README, line by line and cell by cell, without code."""
    documents = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    return [
        Said(document.name, f"line {number}", CHINESE if re.search(HAN, part) else ENGLISH, part.strip())
        for document in documents
        for number, line in enumerate(document.read_text("utf-8").splitlines(), start=1)
        for part in re.split(r"\||<br>", re.sub(r"`[^`]*`", "…", line))
    ]


def code() -> list[Said]:
    """Return the Chinese lines of the pseudocode, without the names in them."""
    return [
        Said(
            document.name,
            f"{CODE}{number}",
            CHINESE,
            re.sub(r"[A-Za-z_][\w.]*", "…", line, flags=re.A).strip(),
        )
        for document in sorted((ROOT / "engine/pseudocode/documents").glob("*.txt"))
        for number, line in enumerate(document.read_text("utf-8").splitlines(), start=1)
        if re.search(HAN, line)
    ]


def broken(rule: Rule, said: list[Said]) -> list[Said]:
    """Return the texts that the rule applies to and that break it, without its exceptions."""
    return [one for one in said if _about(rule, one) and rule.breaks(one.text) and not rule.allows(one.key)]


def unneeded(rule: Rule, said: list[Said]) -> list[str]:
    """Return the exceptions that no text needs."""
    needing = [one.key for one in said if _about(rule, one) and rule.breaks(one.text)]
    return [beginning for beginning in rule.but if not any(key.startswith(beginning) for key in needing)]


def _about(rule: Rule, one: Said) -> bool:
    if one.language != rule.language:
        return False
    if one.file.endswith(".md"):
        return rule.documents or rule.language == CHINESE
    return re.search(rule.keys, one.key) is not None
