"""The account's own pages. Signing up and in, passwords and addresses are views of django-allauth, with the
site's templates."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from eosviz.accounts import actions
from eosviz.accounts.belongings import holdings, packed, shown
from eosviz.accounts.forms import DeleteForm, NameForm, words
from eosviz.accounts.models import User
from eosviz.accounts.request_types import SignedInRequest
from eosviz.accounts.roles import role_of
from eosviz.streamed import StreamedFile


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: SignedInRequest) -> HttpResponse:
    """The account's page: the person's name and role, what the account owns, and how to delete it. POST
    changes the name, and whether the person is counted."""
    form = NameForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, words("accounts.saved"))
        return redirect("accounts:account")
    context = {
        "form": form,
        "holdings": holdings(request.user),
        **shown(request.user),
        "role_key": f"accounts.role.{role_of(request.user)}",
        "other_sites": bool(settings.SIGN_IN_WITH),
        "asking": User.objects.asking_to_teach().count() if request.user.is_staff else 0,
    }
    return render(request, "accounts/account.html", context)


@never_cache
@login_required
@require_POST
def ask_to_teach(request: SignedInRequest) -> HttpResponse:
    """Ask for the role of an instructor. While a request is open, another one changes nothing."""
    actions.ask_to_teach(request.user)
    return redirect("classroom:index")


@never_cache
@login_required
@require_POST
def download(request: SignedInRequest) -> StreamedFile:
    """Sends a ZIP file with what the account owns."""
    return StreamedFile(packed(request.user), as_attachment=True, filename="eosviz-account.zip")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: SignedInRequest) -> HttpResponse:
    """A page with what would be deleted and a form that asks for the password (for the address if the account has
    none); POST deletes."""
    form = DeleteForm(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        user = request.user
        logout(request)
        actions.delete_account(user)
        messages.success(request, words("accounts.deleted"))
        return redirect("scenarios:library")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {"form": form, "holdings": holdings(request.user)}
    return render(request, "accounts/delete.html", context, status=status)
