"""Signing in with another site's account is set only by environment variables; if one is missing, the error
names it.
"""

from __future__ import annotations

from pathlib import Path

from tests.setup.test_settings import settings_in_a_process

GITHUB = {"EOSVIZ_SIGN_IN_WITH": "github", "EOSVIZ_GITHUB_ID": "one", "EOSVIZ_GITHUB_SECRET": "two"}
PROGRAM = "__import__('django').setup() or __import__('django.urls').urls.reverse('github_login')"


def test_nothing_is_installed_unless_it_is_asked_for(tmp_path: Path) -> None:
    asked = settings_in_a_process(
        "development", "'allauth.socialaccount' in settings.INSTALLED_APPS", EOSVIZ_DATA=str(tmp_path)
    )
    assert asked.stdout.strip() == "False", asked.stderr


def test_a_site_that_is_set_up_has_its_address_and_may_be_led_to(tmp_path: Path) -> None:
    data = str(tmp_path)
    asked = settings_in_a_process("development", PROGRAM, EOSVIZ_DATA=data, **GITHUB)
    assert asked.stdout.strip() == "/accounts/github/login/", asked.stderr
    policy = "__import__('eosviz.security', fromlist=['x']).CONTENT_SECURITY_POLICY"
    policies = settings_in_a_process("development", policy, EOSVIZ_DATA=data, **GITHUB).stdout
    assert "form-action 'self' https://github.com;" in policies


def test_what_is_missing_or_unknown_is_named(tmp_path: Path) -> None:
    data = str(tmp_path)
    wrong = GITHUB | {"EOSVIZ_GITHUB_SECRET": ""}
    asked = settings_in_a_process("development", "settings.DEBUG", EOSVIZ_DATA=data, **wrong)
    assert asked.returncode == 1 and "set EOSVIZ_GITHUB_SECRET" in asked.stderr
    asked = settings_in_a_process("development", "settings.DEBUG", EOSVIZ_DATA=data, EOSVIZ_SIGN_IN_WITH="x")
    assert "x is unknown; known: github, google, openid_connect" in asked.stderr


def test_mail_goes_where_the_address_says_and_must_then_be_proved(tmp_path: Path) -> None:
    variables = {
        "EOSVIZ_DATA": str(tmp_path),
        "EOSVIZ_EMAIL_URL": "smtp+tls://user:secret@mail.example.org:587",
    }
    expression = (
        "settings.EMAIL_BACKEND.split('.')[-2], settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS,"
        "settings.ACCOUNT_EMAIL_VERIFICATION"
    )
    asked = settings_in_a_process("development", expression, **variables)
    assert asked.stdout.strip() == "smtp mail.example.org 587 True mandatory", asked.stderr


def test_production_is_as_django_s_own_check_wants_it(tmp_path: Path) -> None:
    variables = {"SECRET_KEY": "k9-" * 30 + "other letters", "EOSVIZ_ALLOWED_HOSTS": "eosviz.example.org"}
    check = (
        "__import__('django').setup() or __import__('django.core.management').core.management.call_command"
    )
    expression = f"{check}('check', deploy=True, fail_level='WARNING')"
    asked = settings_in_a_process("production", expression, EOSVIZ_DATA=str(tmp_path), **variables)
    assert asked.returncode == 0, asked.stderr
