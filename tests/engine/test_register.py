"""The register of loose statements: every entry has texts, and is shown where a sentence names it."""

from engine.explain.requirements import REGISTER
from engine.explain.sentences import catalogue
from engine.recording import Recorded
from engine.register import ENTRIES_AT
from tests.engine.broker.watched import NoJudges


def test_every_entry_says_in_both_languages_what_is_true() -> None:
    assert all(f"requirement.{entry}" in catalogue() for entry in REGISTER)


def test_entries_stand_only_at_sentences_that_exist() -> None:
    assert set(ENTRIES_AT) <= set(catalogue())
    named = {entry for entries in ENTRIES_AT.values() for entry in entries}
    assert named <= set(REGISTER), (
        "a requirement is recorded by the code that enforces it, never by a sentence"
    )


def test_a_step_and_a_note_name_the_entries_of_what_they_say() -> None:
    watch = Recorded(NoJudges())
    watch.say("client.epoch_exhausted", ("TXM-16",))
    watch.note("broker.new_epoch_accepted", ("SEQ-12",))
    step = watch.finish(1, 0, "p1", "sender_phase")
    assert step.rules == ("TXM-16", "CTR-23")
    assert step.notes[0]["rules"] == ["SEQ-12", "CTR-11", "CTR-12"]
