from django.urls import URLPattern, URLResolver, path

from eosviz.tracks import views

app_name = "tracks"
urlpatterns: list[URLPattern | URLResolver] = [
    path("tracks/", views.index, name="index"),
    path("tracks/<slug:name>/", views.detail, name="detail"),
    path("tracks/<slug:name>/<int:position>/begin", views.begin, name="begin"),
    path("tracks/<slug:name>/<int:position>/finish", views.finish, name="finish"),
    path("sessions/<uuid:session_id>/questions", views.session_questions, name="questions"),
    path("sessions/<uuid:session_id>/predictions", views.predict, name="predict"),
]
