"""How often something may be done: all rate limits of the site, for pages, the API and sockets."""

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()

MINUTE = 60
HOUR = 60 * MINUTE

RATES: dict[str, tuple[int, int]] = {
    # Pages and the API. A person is an account, or a browser that has a key.
    "create.person": (120, 10 * MINUTE),
    "create.address": (1200, 10 * MINUTE),
    "import.person": (30, 10 * MINUTE),
    "import.address": (300, 10 * MINUTE),
    "export.person": (60, 10 * MINUTE),
    "export.address": (300, 10 * MINUTE),
    "download_everything.person": (6, HOUR),
    "download_everything.address": (60, HOUR),
    "join_class.person": (20, HOUR),
    "join_class.address": (1000, HOUR),
    "forms.person": (200, 40),
    "forms.address": (1000, 100),
    "calls.person": (240, 4),
    "calls.address": (240, 4),
    "open_link.address": (100, 20),
    "embed.address": (20, 20),
    "edit_draft.person": (60, 12),
    "try_out.person": (20, 40),
    # Signing up and in. In a lecture, 250 people with the same network address do both within five minutes,
    # some of them twice.
    "sign_up.address": (1000, 10 * MINUTE),
    "sign_in.address": (2000, 10 * MINUTE),
    "mail.address": (500, 10 * MINUTE),
    "mail.recipient": (3, 10 * MINUTE),
    "confirm.person": (10, MINUTE),
    "confirm.address": (100, MINUTE),
    # Wrong passwords (right ones do not count), from browsers that have not signed in to the account before:
    "wrong_password.address": (300, 10 * MINUTE),
    "wrong_password.account_here": (5, 5 * MINUTE),
    "wrong_password.account": (100, HOUR),
    # and from a browser that has:
    "wrong_password.known_browser": (10, 5 * MINUTE),
    # Sockets.
    "messages.person": (240, 4),
    "messages.page": (240, 4),
    "say.follower": (20, MINUTE),
    "work.link": (500_000, 50),
}
"""Dict of `what.whom` → (how often this may be done at once, the seconds after which it may be done so often
again). `work.link` counts the steps that are read for all followers of one link together."""

for _name, _numbers in env.dict("EOSVIZ_RATES", default={}).items():
    _most, _, _seconds = _numbers.partition("/")
    if _name not in RATES or not (
        _most.isdecimal() and _seconds.isdecimal() and int(_most) and int(_seconds)
    ):
        raise ImproperlyConfigured(
            f"EOSVIZ_RATES: {_name}={_numbers}: a name of {', '.join(RATES)}, then how many, a slash and in how many "
            "seconds, like sign_up.address=2000/600"
        )
    RATES[_name] = (int(_most), int(_seconds))

FOLLOWERS_PER_LINK = env.int("EOSVIZ_FOLLOWERS_PER_LINK", 1000)
"""The largest number of open sockets of one follow link, over all web processes."""
if FOLLOWERS_PER_LINK < 1:
    raise ImproperlyConfigured("EOSVIZ_FOLLOWERS_PER_LINK: how many may follow one link at once, at least 1")
