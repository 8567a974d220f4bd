from django.urls import URLPattern, URLResolver, path

from eosviz.walkthroughs import generations, link_views, present_views, views

app_name = "walkthroughs"
urlpatterns: list[URLPattern | URLResolver] = [
    path("sessions/new", views.new, name="new"),
    path("sessions/<uuid:session_id>/", views.player, name="player"),
    path("sessions/<uuid:session_id>/delete", views.delete, name="delete"),
    path("sessions/<uuid:session_id>/rerun", link_views.rerun, name="rerun"),
    path("sessions/<uuid:session_id>/present", present_views.start, name="present"),
    path("sessions/<uuid:session_id>/present/end", present_views.end, name="end_presenting"),
    path("follow/<uuid:token>/", present_views.follow, name="follow"),
    path("open/<scenario:scenario>/<slug:version>/", link_views.open_page, name="open"),
    path("compare/", views.compare, name="compare"),
    path("compare/differences.json", views.differences, name="differences"),
    path("compare/moments.json", views.moments, name="moments"),
    path("compare/new", views.compare_new, name="compare_new"),
    path("generations/", generations.generations, name="generations"),
    path("generations/new", generations.generation_new, name="generation_new"),
]
