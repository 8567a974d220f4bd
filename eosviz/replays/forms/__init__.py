"""The forms of a replay's file that the server makes: each module of this package has one class. All modules
of this package are imported, so a new form needs only a new file (docs/CONTRIBUTING.md, *Add an export*).
Pictures and CSV tables are made by the page itself."""

from __future__ import annotations

from eosviz.discovered import each_in
from eosviz.replays.forms.form import Form, Work

FORMS = {form.name: form for form in each_in(__name__, Form)}

__all__ = ["FORMS", "Form", "Work"]
