from django.urls import URLPattern, URLResolver, path

from eosviz.pipeline import views

app_name = "pipeline"
urlpatterns: list[URLPattern | URLResolver] = [
    path("pipeline/", views.index, name="index"),
    path("pipeline/sweeps/<uuid:sweep_id>/", views.sweep, name="sweep"),
]
