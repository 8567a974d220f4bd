"""The store of browser sessions. It returns an empty session if the session's account was deleted or blocked,
or has a new password that was not set in this session.

The session itself contains the owner's key, so most code reads the key without loading the account. Without
the check here, a stolen cookie would keep its rights after the password was changed.
"""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils.crypto import constant_time_compare

from eosviz.rights import changed, of_cookie


class SessionStore(DatabaseStore):
    def delete(self, session_key: str | None = None) -> None:
        """Delete the session, and close the sockets that were opened with its cookie."""
        super().delete(session_key)
        self._announce(session_key)

    async def adelete(self, session_key: str | None = None) -> None:
        await super().adelete(session_key)
        await sync_to_async(self._announce)(session_key)

    def _announce(self, session_key: str | None) -> None:
        deleted = session_key or self.session_key
        if deleted:
            changed(of_cookie(deleted))

    def load(self) -> dict[str, Any]:
        data: dict[str, Any] = super().load()
        if SESSION_KEY not in data:
            return data
        user = get_user_model().objects.filter(pk=data[SESSION_KEY]).first()
        return data if _holds(user, data) else {}

    async def aload(self) -> dict[str, Any]:
        data: dict[str, Any] = await super().aload()
        if SESSION_KEY not in data:
            return data
        user = await get_user_model().objects.filter(pk=data[SESSION_KEY]).afirst()
        return data if _holds(user, data) else {}


def _holds(user: Any, data: dict[str, Any]) -> bool:
    if user is None or not user.is_active:
        return False
    known = data.get(HASH_SESSION_KEY) or ""
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(known, one) for one in hashes)
