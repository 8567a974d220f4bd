"""The requirements of the specification by ID. Also lists those that no single step can fulfil (``DISPLAY``)."""

from __future__ import annotations

from engine.explain.sentences import catalogue
from engine.profile import QUORUM, ZOOKEEPER

GROUPS = {
    "CPT": 8,
    "GEN": 11,
    "CFG": 6,
    "MSG": 4,
    "ACC": 25,
    "SND": 15,
    "TXM": 18,
    "PID": 13,
    "SEQ": 20,
    "ORD": 8,
    "LOG": 14,
    "FND": 8,
    "TXC": 24,
    "OFS": 6,
    "MRK": 12,
    "FEN": 8,
    "CON": 12,
    "MW": 16,
    "UIV": 6,
}
"""Dict of section → the number of its requirements, in the order of the specification."""
REGISTER = tuple(f"CTR-{number}" for number in range(1, 50))
"""The entries of section 20, which lists contradictions and loose statements."""
REQUIREMENTS = tuple(f"{group}-{number}" for group, count in GROUPS.items() for number in range(1, count + 1))
DISPLAY = frozenset(
    (
        *(f"GEN-{number}" for number in range(1, 11)),
        *(f"UIV-{number}" for number in range(1, 7)),
        *("CPT-1", "CPT-8", "CFG-6", "MSG-1", "MSG-4", "ACC-23", "ACC-24", "ACC-25", "SND-15", "TXM-18"),
        *("PID-13", "SEQ-20", "ORD-8", "LOG-14", "FND-8", "TXC-24", "OFS-6", "MRK-12", "FEN-8", "CON-12"),
        "MW-16",
    )
)
"""The rules about engine, display and comparison. No single step fulfils such a rule, so a test marked with
its ID may check it instead of a scenario. Appendix B lists them in one row. CPT-1 is one of them, because it
demands that levels can be chosen and judged."""


def text_key(requirement: str) -> str:
    """The key of a requirement's text, which is true in every cluster."""
    return f"requirement.{requirement}"


def text_keys_by_keeper(requirement: str) -> dict[str, str]:
    """Dict of keeper of decisions (``zookeeper`` or ``quorum``) → the key of the requirement's text in such a
    cluster. Empty if one text is true of both kinds of cluster."""
    keys = {keeper: f"{text_key(requirement)}.{keeper}" for keeper in (ZOOKEEPER, QUORUM)}
    return {keeper: key for keeper, key in keys.items() if key in catalogue()}


def text_key_in(requirement: str, keeper: str) -> str:
    """The key of the requirement's text in a run whose cluster has this keeper."""
    return text_keys_by_keeper(requirement).get(keeper, text_key(requirement))
