"""The kind *Watch to the end*: the learner plays one run to its end, or the runs of every scenario of a
track."""

from __future__ import annotations

from engine.scenario.tracks import tracks
from eosviz.classroom.judging import Judgement, first_branch
from eosviz.classroom.kinds.kind import Kind, Say
from eosviz.classroom.models import Assignment, Attempt, Outcome
from eosviz.tracks.models import Visit
from eosviz.walkthroughs.models import Intervention


class Watch(Kind):
    name = "watch"
    order = 1
    takes_tracks = True

    def task(self, assignment: Assignment, say: Say) -> list[str]:
        return [say("classroom.task.watch.track" if assignment.track else "classroom.task.watch")]

    def judge(self, attempt: Attempt) -> Judgement:
        if attempt.assignment.track:
            return _track(attempt)
        root = first_branch(attempt)
        if Intervention.objects.count_on(root):
            return Judgement(Outcome.FAILED, "changed_run")
        if root.finished is None:
            return Judgement(Outcome.FAILED, "not_at_the_end", evidence={"step": root.newest})
        return Judgement(Outcome.PASSED, "watched", evidence={"step": root.newest})


def _track(attempt: Attempt) -> Judgement:
    track = next((one for one in tracks() if one.name == attempt.assignment.track), None)
    count = len(track.items) if track is not None else 0
    visits = Visit.objects.of_browser(attempt.user.owner_key)
    done = visits.filter(track=attempt.assignment.track, done=True, position__lte=count).count()
    outcome = Outcome.PASSED if count and done == count else Outcome.FAILED
    return Judgement(outcome, "track", evidence={"done": done, "count": count})
