from django.urls import URLPattern, URLResolver, path

from eosviz.catalogue.served import catalogue
from eosviz.front import views

app_name = "scenarios"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.front, name="front"),
    path("library/", views.library, name="library"),
    path("sessions/", views.sessions, name="sessions"),
    path("catalogue/<str:language>.json", catalogue, name="catalogue"),
    path("theme", views.set_theme, name="theme"),
]
