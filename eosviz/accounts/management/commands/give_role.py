"""`manage.py give_role teacher@example.org instructor` gives a person this role and takes their other roles
away.

A superuser stays an administrator.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, give_role
from eosviz.operating.needed_tables import TablesCommand


class Command(TablesCommand):
    help = "Give a person exactly one role: learner, instructor or administrator."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address the person signs in with")
        parser.add_argument("role", choices=[role.value for role in Role])

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email=options["email"].strip().lower()).first()
        if user is None:
            raise CommandError(f"no account has the address {options['email']}; they must sign up first")
        give_role(user, Role(options["role"]))
        self.stdout.write(f"{user.email}: {options['role']}")
