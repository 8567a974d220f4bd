from django.urls import URLPattern, URLResolver, path

from eosviz.replays import (
    bundle_view,
    embed_views,
    export_views,
    link_view,
    published_views,
    report_view,
    upload_views,
    views,
)

app_name = "replays"
urlpatterns: list[URLPattern | URLResolver] = [
    path("sessions/<uuid:session_id>/export", views.export, name="export"),
    path("sessions/<uuid:session_id>/exports/limits", export_views.limits, name="export_limits"),
    path("sessions/<uuid:session_id>/exports", export_views.begin, name="export_begin"),
    path("replays/<uuid:replay_id>/exports/limits", export_views.replay_limits, name="replay_limits"),
    path("replays/<uuid:replay_id>/exports", export_views.begin_of_replay, name="replay_export"),
    path("exports/<uuid:export_id>/", export_views.state, name="export_state"),
    path("exports/<uuid:export_id>/cancel", export_views.cancel, name="export_cancel"),
    path("exports/<uuid:export_id>/file", export_views.file, name="export_file"),
    path("published/<slug:digest>/", published_views.page, name="published"),
    path("published/<slug:digest>/player.json", published_views.player, name="published_player"),
    path("published/<slug:digest>/replay", published_views.replay, name="published_replay"),
    path("publications/<uuid:publication_id>/withdraw", published_views.withdraw, name="withdraw"),
    path("sessions/<uuid:session_id>/link", link_view.session_link, name="link"),
    path("replays/import", views.import_page, name="import"),
    path("replays/log", views.log_page, name="open_log"),
    path("replays/uploads/<uuid:upload_id>/", upload_views.upload, name="upload"),
    path("replays/uploads/<uuid:upload_id>/cancel", upload_views.cancel, name="upload_cancel"),
    path("replays/<uuid:replay_id>/", views.play, name="play"),
    path("replays/<uuid:replay_id>/case", views.log_case, name="log_case"),
    path("replays/<uuid:replay_id>/report", report_view.report, name="log_report"),
    path("replays/<uuid:replay_id>/bundle", bundle_view.bundle, name="log_bundle"),
    path("replays/<uuid:replay_id>/player.json", views.player_json, name="player"),
    path("embed/<scenario:scenario>/<slug:version>/", embed_views.embed, name="embed"),
    path(
        "embed/<scenario:scenario>/<slug:version>/player.json",
        embed_views.linked_player,
        name="linked_player",
    ),
    path("cards/<scenario:scenario>/<slug:version>.png", embed_views.card, name="card"),
    path("embed-replay/<uuid:replay_id>/", embed_views.embed_replay, name="embed_replay"),
    path("embed-replay/<uuid:replay_id>/player.json", embed_views.public_player, name="public_player"),
    path("oembed", embed_views.oembed, name="oembed"),
    path("replays/<uuid:replay_id>/delete", views.delete, name="delete"),
]
