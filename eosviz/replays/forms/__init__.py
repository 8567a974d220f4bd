"""The forms in which the server makes a replay's file: one class for each, in a module of its own here. Every
module of this package is read, so a new form is a new file (docs/CONTRIBUTING.md, *Add an export*). The page
itself makes pictures and CSV tables."""

from __future__ import annotations

from eosviz.discovered import each_in
from eosviz.replays.forms.form import Form, Work

FORMS = {form.name: form for form in each_in(__name__, Form)}

__all__ = ["FORMS", "Form", "Work"]
