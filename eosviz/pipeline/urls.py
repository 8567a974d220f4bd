from django.urls import URLPattern, URLResolver, path

from eosviz.pipeline import build_views, job_views, shrink_views, views
from eosviz.pipeline.models import Shrink, Sweep

app_name = "pipeline"
urlpatterns: list[URLPattern | URLResolver] = [
    path("pipeline/", views.index, name="index"),
    path("pipeline/new", build_views.build, name="build"),
    path("pipeline/sweeps/<uuid:sweep_id>/", views.sweep, name="sweep"),
    path("pipeline/sweeps/<uuid:sweep_id>/table.csv", views.table_csv, name="csv"),
    path("pipeline/sweeps/<uuid:sweep_id>/map.png", views.map_png, name="png"),
    path("pipeline/sweeps/<uuid:job_id>/cancel", job_views.cancel, {"kind": Sweep}, name="cancel"),
    path("pipeline/sweeps/<uuid:job_id>/resume", job_views.resume, {"kind": Sweep}, name="resume"),
    path("pipeline/sweeps/<uuid:sweep_id>/delete", views.delete, name="delete"),
    path("pipeline/sweeps/<uuid:sweep_id>/cells/<int:cell>/", views.cell, name="cell"),
    path("pipeline/sweeps/<uuid:sweep_id>/cells/<int:cell>/open", views.open_run, name="open"),
    path("pipeline/sweeps/<uuid:sweep_id>/cells/<int:cell>/shrink", shrink_views.start, name="shrink_new"),
    path("pipeline/shrinks/<uuid:shrink_id>/", shrink_views.shrink, name="shrink"),
    path("pipeline/shrinks/<uuid:job_id>/cancel", job_views.cancel, {"kind": Shrink}, name="shrink_cancel"),
    path("pipeline/shrinks/<uuid:job_id>/resume", job_views.resume, {"kind": Shrink}, name="shrink_resume"),
    path("pipeline/shrinks/<uuid:shrink_id>/open", shrink_views.open_run, name="shrink_open"),
    path("pipeline/shrinks/<uuid:shrink_id>/scenario.toml", shrink_views.scenario_toml, name="shrink_toml"),
]
"""The addresses of the pages of sweeps and shrinks."""
