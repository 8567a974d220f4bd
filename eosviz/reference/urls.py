from django.urls import URLPattern, URLResolver, path
from django.views.generic import RedirectView

from eosviz.reference import views

app_name = "reference"
urlpatterns: list[URLPattern | URLResolver] = [
    path("reference/", views.index, name="index"),
    path("reference/machines/", views.machines, name="machines"),
    path("reference/machines/<slug:name>.json", views.machine, name="machine"),
    path("reference/code/", views.code, name="code"),
    path("reference/code.json", views.code_json, name="code_json"),
    path("reference/errors/", views.errors, name="errors"),
    path("reference/signatures/", views.signatures, name="signatures"),
    path("reference/libraries/", views.libraries, name="libraries"),
    path("reference/versions/", views.versions, name="versions"),
    path("reference/requirements/", views.requirements, name="requirements"),
    path("reference/requirements/<slug:identifier>", views.requirement, name="requirement"),
    path("reference/contradictions/", views.contradictions, name="contradictions"),
    path("reference/middleware/", views.middleware, name="middleware"),
    path("reference/player/", views.player, name="player"),
    path("reference/logs.md", views.logs_document, name="logs_document"),
    path("reference/terms/", views.terms, name="terms"),
    path("reference/limits/", views.limits, name="limits"),
    path("search/", views.search, name="search"),
    path("search/suggested", views.suggested, name="suggested"),
    path(
        "reference/search/",
        RedirectView.as_view(pattern_name="reference:search", query_string=True),
        name="search_of_before",
    ),
]
