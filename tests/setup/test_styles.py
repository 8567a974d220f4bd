"""Pages, player and panels use one scale of type sizes and one of spacings: static/styles/tokens.css."""

from __future__ import annotations

import re

from eosviz.launch.places import ROOT

STYLES = ROOT / "static" / "styles"
ON_PAPER = {"print.css"}
"""Style sheets for paper, which use points and millimetres."""
SENTENCE = re.compile(r"^\.(s\[data-size=.*|lead|rest) ")
"""The sentence of a step is as large as fits: `static/player/sentence-fit.ts` computes its size."""
DOOR = {"front.css"}
"""Only the front page has letters that grow with the screen, and a picture with a scale of its own."""


def spaces() -> dict[int, str]:
    tokens = (STYLES / "tokens.css").read_text(encoding="utf-8")
    return {int(px): name for name, px in re.findall(r"(--s\d): (\d+)px", tokens)}


def test_what_the_spacing_scale_has_is_taken_from_it() -> None:
    known = spaces()
    assert len(known) == 8
    found = []
    for style in sorted(STYLES.glob("*.css")):
        if style.name in ON_PAPER:
            continue
        for number, line in enumerate(style.read_text(encoding="utf-8").splitlines(), start=1):
            for value in re.findall(r"(?<![\w-])(?:padding|margin|gap)[a-z-]*: ?([^;}]*)", line):
                if "calc(" in value or "min(" in value:
                    continue
                raw = [int(px) for px in re.findall(r"(?<![\w.])(\d+)px", value)]
                found += [f"{style.name}:{number}: {px}px is {known[px]}" for px in raw if px in known]
    assert found == []


def test_letters_of_the_player_and_its_panels_are_on_the_type_scale() -> None:
    found = []
    panels = sorted((ROOT / "static" / "diagrams").glob("*.ts"))
    for file in [*sorted(STYLES.glob("*.css")), *panels]:
        if file.name in ON_PAPER | DOOR | {"tokens.css", "machine-draw.ts", "timers.ts"}:
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if SENTENCE.match(line):
                continue
            found += [f"{file.name}:{number}: {size}" for size in re.findall(r"font-size: ([\d.]+px)", line)]
    assert found == []


def test_a_step_does_not_restyle_the_whole_player() -> None:
    """The browser checks each node that a step inserts against every `:has()` of its ancestors, and then restyles
    what matches a rule with `:has()`: the whole player, if such a rule ends in any element. Therefore parts of the
    player set marks on it instead (`StoreElement.markPlayer`).
    """
    of_ancestor = re.compile(
        r"(?:html|body|\.player|\.mid)(?:\[[^\]]*\]|:not\([^()]*\))*(?::not\()?:has\((?!>)"
    )
    has = re.compile(r":has\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
    ends_in_any = re.compile(r"(?:\*|[ >~+]:not\([^()]*\)|\*\))\s*$")
    found = []
    for style in sorted(STYLES.glob("*.css")):
        text = style.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            selectors = line.split("{")[0]
            if of_ancestor.search(selectors) or (
                has.search(selectors) and ends_in_any.search(has.sub("", selectors))
            ):
                found.append(f"{style.name}:{number}: {selectors.strip()}")
    assert found == []


def test_what_stands_in_for_the_typeface_has_its_line() -> None:
    """Otherwise, everything below a line would move when the typeface's file arrives."""
    tokens = (STYLES / "tokens.css").read_text(encoding="utf-8")
    typeface, stand_in = (
        re.search(rf'font-family: "{name}";.*', tokens)[0]  # type: ignore[index]
        for name in ("Source Sans 3 Variable", "Source Sans 3 stand-in")
    )
    adjusted = int(re.search(r"size-adjust: (\d+)%", stand_in)[1]) / 100  # type: ignore[index]
    for name in ("ascent", "descent", "line-gap"):
        ours, theirs = (
            float(re.search(rf"{name}-override: ([\d.]+)%", face)[1])  # type: ignore[index]
            for face in (typeface, stand_in)
        )
        assert abs(theirs * adjusted - ours) < 0.1, name
