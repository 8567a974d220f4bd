"""The site's HTTP addresses. Each app has a list of its own; here they are combined."""

from django.contrib import admin
from django.urls import include, path

from eosviz.health import healthz, livez, readyz
from eosviz.operating.metrics import metrics
from eosviz.walkthroughs.api import api

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("livez", livez, name="livez"),
    path("metrics", metrics, name="metrics"),
    path("api/", api.urls),  # here, because in an app the app's namespace would hide the API's own
    path("i18n/", include("django.conf.urls.i18n")),
    path("administration/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("account/", include("eosviz.accounts.urls")),
    path("", include("eosviz.front.urls")),
    path("", include("eosviz.walkthroughs.urls")),
    path("", include("eosviz.replays.urls")),
    path("", include("eosviz.pipeline.urls")),
    path("", include("eosviz.reference.urls")),
    path("", include("eosviz.tracks.urls")),
    path("", include("eosviz.classroom.urls")),
    path("", include("eosviz.workshop.urls")),
    path("", include("eosviz.analytics.urls")),
]

handler400 = "eosviz.operating.unavailable_pages.refused"
handler500 = "eosviz.operating.unavailable_pages.failed"
