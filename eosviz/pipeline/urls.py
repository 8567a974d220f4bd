from django.urls import URLPattern, URLResolver, path

from eosviz.pipeline import shrink_views, views

app_name = "pipeline"
urlpatterns: list[URLPattern | URLResolver] = [
    path("pipeline/", views.index, name="index"),
    path("pipeline/new", views.build, name="build"),
    path("pipeline/sweeps/<uuid:sweep_id>/", views.sweep, name="sweep"),
    path("pipeline/sweeps/<uuid:sweep_id>/table.csv", views.table_csv, name="csv"),
    path("pipeline/sweeps/<uuid:sweep_id>/map.png", views.map_png, name="png"),
    path("pipeline/sweeps/<uuid:sweep_id>/cancel", views.cancel, name="cancel"),
    path("pipeline/sweeps/<uuid:sweep_id>/resume", views.resume, name="resume"),
    path("pipeline/sweeps/<uuid:sweep_id>/delete", views.delete, name="delete"),
    path("pipeline/sweeps/<uuid:sweep_id>/cells/<int:cell>/", views.cell, name="cell"),
    path("pipeline/sweeps/<uuid:sweep_id>/cells/<int:cell>/open", views.open_run, name="open"),
    path("pipeline/sweeps/<uuid:sweep_id>/cells/<int:cell>/shrink", shrink_views.start, name="shrink_new"),
    path("pipeline/shrinks/<uuid:shrink_id>/", shrink_views.shrink, name="shrink"),
    path("pipeline/shrinks/<uuid:shrink_id>/cancel", shrink_views.cancel, name="shrink_cancel"),
    path("pipeline/shrinks/<uuid:shrink_id>/resume", shrink_views.resume, name="shrink_resume"),
    path("pipeline/shrinks/<uuid:shrink_id>/open", shrink_views.open_run, name="shrink_open"),
    path("pipeline/shrinks/<uuid:shrink_id>/scenario", shrink_views.make_scenario, name="shrink_scenario"),
    path("pipeline/shrinks/<uuid:shrink_id>/scenario.toml", shrink_views.scenario_toml, name="shrink_toml"),
]
"""Pages about what runs on Spark."""
