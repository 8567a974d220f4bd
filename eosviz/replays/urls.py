from django.urls import URLPattern, URLResolver, path

from eosviz.replays import views

app_name = "replays"
urlpatterns: list[URLPattern | URLResolver] = [
    path("sessions/<uuid:session_id>/export", views.export, name="export"),
    path("replays/import", views.import_page, name="import"),
    path("replays/log", views.log_page, name="open_log"),
    path("replays/<uuid:replay_id>/", views.play, name="play"),
    path("replays/<uuid:replay_id>/player.json", views.player_json, name="player"),
    path("replays/<uuid:replay_id>/delete", views.delete, name="delete"),
]
