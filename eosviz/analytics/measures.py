"""Computes the figures of an analysis from visits and moves, as DataFrames. Makes no database query, and
knows no names of people.

Every figure counts people, not visits, so that a person who tries often does not weigh more. A figure about
too few people is withheld. The sum over the groups with withheld figures can be found by subtraction. If this sum
is about too few people, too, the figure of the smallest other group is also withheld.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f
from pyspark.sql import types as t

CONFIDENCE_Z = 1.959964
"""The quantile of the normal distribution for 95 % intervals."""


def _schema(**columns: t.DataType) -> t.StructType:
    return t.StructType([t.StructField(name, kind, False) for name, kind in columns.items()])


_TEXT, _LONG, _FLAG = t.StringType(), t.LongType(), t.BooleanType()
VISITS_SCHEMA = _schema(
    visit=_LONG, person=_LONG, group=_TEXT, scenario=_TEXT, version=_LONG, variant=_TEXT,
    reach=_LONG, last=_LONG, ended=_FLAG, own_way=_FLAG,
)  # fmt: skip
"""One row for each session. A common step is one that is the same for all readers of the run. ``reach``: the
furthest common step that was looked at. ``last``: the one that was looked at last. ``own_way``: whether the session
has a second branch or an intervention. ``version`` grows with time; ``scenario`` is the same for all versions of one
lesson."""
MOVES_SCHEMA = _schema(visit=_LONG, kind=_TEXT, step=_LONG, times=_LONG, answered=_LONG)
"""Each row is a move of a visit at a step, ``times`` times; several rows may be about the same move.
``kind``: back, branched, wrong or right; `Frames` adds left. ``answered``: when a prediction was made, in
microseconds since 1970; 0 for other moves."""
RULES_SCHEMA = _schema(version=_LONG, variant=_TEXT, step=_LONG, rule=_TEXT)
"""One row for each step and each requirement that the step follows."""
RUN = ["version", "variant"]
PLACE = [*RUN, "step"]
CONFUSING = ("left", "back", "wrong")


@dataclass(frozen=True)
class Frames:
    visits: DataFrame
    moves: DataFrame
    """The moves with the columns of their visits, including moves of the kind `left`. If a person predicted
    several times at one step in one group, only the first prediction is kept."""
    rules: DataFrame

    @classmethod
    def of(cls, visits: DataFrame, moves: DataFrame, rules: DataFrame) -> Frames:
        """Prepare the frames. Every visit is doubled: one row has its own group, the other the empty name,
        which stands for all groups together."""
        groups = f.explode(f.array(f.col("group"), f.lit("")))
        visits = visits.withColumn("group", groups).cache()
        left = visits.where("not ended and not own_way").select(
            "visit",
            "group",
            f.lit("left").alias("kind"),
            f.col("last").alias("step"),
            f.lit(1).alias("times"),
            f.lit(0).alias("answered"),
        )
        known = visits.select("visit", "group", "person", *RUN)
        moved = moves.join(visits.select("visit", "group"), "visit").unionByName(left)
        return cls(visits, _first_answers(moved.join(known, ["visit", "group"])).cache(), rules)

    def forget(self) -> None:
        """Free the cached frames."""
        self.visits.unpersist()
        self.moves.unpersist()


def _first_answers(moves: DataFrame) -> DataFrame:
    """The moves, without predictions that a person made after their first one at the same step."""
    is_answer = f.col("kind").isin("wrong", "right")
    in_time = Window.partitionBy("group", "person", *PLACE).orderBy("answered", "visit")
    answers = moves.where(is_answer).withColumn("number", f.row_number().over(in_time))
    return moves.where(~is_answer).unionByName(answers.where("number = 1").drop("number"))


def wilson(people: Column, of: Column) -> tuple[Column, Column]:
    """The lower and the upper end of the 95 % interval of the share `people / of`, by Wilson's score."""
    share, square = people / of, f.lit(CONFIDENCE_Z**2)
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = CONFIDENCE_Z * f.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    return f.greatest(f.lit(0.0), middle - half), f.least(f.lit(1.0), middle + half)


def _people(column: str) -> Column:
    return f.count_distinct("person").alias(column)


def _reached(frames: Frames, steps: DataFrame) -> DataFrame:
    """One row (``group, PLACE, of``) for each group and step in `steps`. ``of``: how many people looked at
    the step."""
    looked = frames.visits.select("group", "person", "reach", *RUN)
    met = steps.select("group", *PLACE).distinct().join(looked, ["group", *RUN]).where("reach >= step")
    return met.groupBy("group", *PLACE).agg(_people("of"))


def steps(frames: Frames) -> DataFrame:
    """Figures for each step: how many people left, went back or branched there; how many left, went back or
    predicted wrongly there (kind `confused`); and, as `of`, how many looked at the step."""
    stumbled = frames.moves.where(f.col("kind").isin(*CONFUSING)).withColumn("kind", f.lit("confused"))
    done = frames.moves.where("kind not in ('wrong', 'right')").unionByName(stumbled)
    counted = done.groupBy("kind", "group", *PLACE).agg(_people("people"), f.sum("times").alias("times"))
    return counted.join(_reached(frames, done), ["group", *PLACE])


def predictions(frames: Frames) -> DataFrame:
    """Figures for each step: how many people predicted wrongly (`people`), out of those who predicted
    (`of`). Steps at which no person predicted wrongly are left out."""
    answers = frames.moves.where("kind in ('wrong', 'right')")
    wrong = (f.col("kind") == "wrong").cast("long")
    return (
        answers.groupBy("group", *PLACE)
        .agg(f.sum(wrong).alias("people"), f.sum(wrong).alias("times"), f.count("*").alias("of"))
        .where("people > 0")
        .withColumn("kind", f.lit("wrong"))
    )


def rules(frames: Frames) -> DataFrame:
    """Figures for each rule: how many people left, went back or predicted wrongly at a step with this rule
    (`people`), out of those who looked at such a step in any scenario (`of`)."""
    looked = frames.visits.select("group", "person", "reach", *RUN)
    met = looked.join(frames.rules, RUN).where("reach >= step").groupBy("group", "rule").agg(_people("of"))
    stumbled = frames.moves.where(f.col("kind").isin(*CONFUSING)).join(frames.rules, PLACE)
    counted = stumbled.groupBy("group", "rule").agg(_people("people"), f.sum("times").alias("times"))
    return counted.join(met, ["group", "rule"]).withColumn("kind", f.lit("confused"))


def _per_person(frames: Frames) -> DataFrame:
    """One row for each person and run (``group, person, scenario, RUN``), with a flag for each kind. `wrong`
    is null if the person predicted nothing."""
    did = (
        frames.moves.groupBy("visit", "group")
        .pivot("kind", ["left", "back", "branched", "wrong", "right"])
        .agg(f.sum("times"))
    )
    joined = frames.visits.join(did, ["visit", "group"], "left")
    happened = [
        f.max(f.coalesce(f.col(kind), f.lit(0)) > 0).alias(kind) for kind in ("left", "back", "branched")
    ]
    wrong = f.max(f.when(f.col("wrong") > 0, True).when(f.col("right") > 0, False)).alias("wrong")
    ended = f.max("ended").alias("ended")
    return joined.groupBy("group", "person", "scenario", *RUN).agg(ended, wrong, *happened)


def runs(frames: Frames) -> DataFrame:
    """Figures for each version and variant: how many people reached the end, left, went back, branched or
    predicted wrongly in it."""
    each = _per_person(frames)
    kinds = f.explode(
        f.array(
            *(
                f.struct(f.lit(kind).alias("kind"), f.col(kind).alias("did"))
                for kind in ("ended", "left", "back", "branched", "wrong")
            )
        )
    )
    did = each.select("group", "person", "scenario", *RUN, kinds.alias("each")).select(
        "group", "scenario", *RUN, "each.kind", "each.did"
    )
    counted = did.where("did is not null").groupBy("group", "scenario", *RUN, "kind")
    one = f.col("did").cast("long")
    return counted.agg(f.sum(one).alias("people"), f.sum(one).alias("times"), f.count("*").alias("of"))


def changes(whole: DataFrame, people_min: int) -> DataFrame:
    """Figures over all people that compare each version of a scenario with the version before it. Versions that
    fewer than ``people_min`` people used are left out. `low` and `high` are the ends of the interval of the
    difference of the two shares (Newcombe)."""
    enough = whole.where((f.col("group") == "") & (f.col("of") >= people_min))
    in_time = Window.partitionBy("scenario", "variant", "kind").orderBy("version")
    beside = (
        enough.withColumn("before", f.lag("version").over(in_time))
        .withColumn("people_before", f.lag("people").over(in_time))
        .withColumn("of_before", f.lag("of").over(in_time))
        .where("before is not null")
    )
    low, high = wilson(f.col("people"), f.col("of"))
    low_before, high_before = wilson(f.col("people_before"), f.col("of_before"))
    share, share_before = f.col("people") / f.col("of"), f.col("people_before") / f.col("of_before")
    down = f.sqrt((share - low) ** 2 + (high_before - share_before) ** 2)
    up = f.sqrt((high - share) ** 2 + (share_before - low_before) ** 2)
    return beside.withColumn("low", share - share_before - down).withColumn("high", share - share_before + up)


def with_shown(figures: DataFrame, people_min: int) -> DataFrame:
    """The ``figures`` with the column `shown`: true if the figure is about enough people, and no withheld
    figure can be computed from it."""
    same = Window.partitionBy("kind", "scenario", *PLACE, "rule", "before")
    few = _few("people", people_min) | (f.col("of") < people_min)
    few |= f.coalesce(_few("people_before", people_min), f.lit(False))
    is_group = f.col("group") != ""
    hidden = few & is_group & (f.col("people") > 0)
    by_size = same.orderBy(hidden.cast("int"), (~is_group).cast("int"), "people", "group")
    judged = (
        figures.withColumn("few", few)
        .withColumn("hidden", f.sum(f.when(hidden, f.col("people")).otherwise(0)).over(same))
        .withColumn("place", f.row_number().over(by_size))
    )
    found_out = is_group & (f.col("hidden") > 0) & (f.col("hidden") < people_min) & (f.col("place") == 1)
    return judged.withColumn("shown", ~f.col("few") & ~found_out).drop("few", "hidden", "place")


def _few(column: str, people_min: int) -> Column:
    """Whether the number in ``column`` is too small to be shown: at least one person, but fewer than
    ``people_min``."""
    return (f.col(column) > 0) & (f.col(column) < people_min)


def figures(frames: Frames, people_min: int) -> DataFrame:
    """All figures, with their intervals and the column `shown`."""
    whole = runs(frames)
    low, high = wilson(f.col("people"), f.col("of"))
    plain = [steps(frames), predictions(frames), rules(frames), whole]
    parts = [one.withColumn("low", low).withColumn("high", high) for one in plain]
    parts.append(changes(whole, people_min))
    return with_shown(reduce(_joined, parts), people_min)


def _joined(left: DataFrame, right: DataFrame) -> DataFrame:
    return left.unionByName(right, allowMissingColumns=True)
