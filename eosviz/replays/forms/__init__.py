"""The forms in which the server makes a replay's file: one class for each, in a module of its own here
(docs/CONTRIBUTING.md, *Add an export*)."""

from __future__ import annotations

from eosviz.discovered import each_in
from eosviz.replays.forms.form import Form, Work

FORMS = {form.name: form for form in each_in(__name__, Form)}

__all__ = ["FORMS", "Form", "Work"]
