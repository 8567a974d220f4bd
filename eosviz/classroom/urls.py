from django.urls import URLPattern, URLResolver, path

from eosviz.classroom import teaching, views

app_name = "classroom"
urlpatterns: list[URLPattern | URLResolver] = [
    path("classes/", views.index, name="index"),
    path("classes/make", views.make, name="make"),
    path("classes/join", views.join, name="join"),
    path("classes/join/<slug:code>/", views.join_link, name="join_link"),
    path("classes/<uuid:classroom_id>/", views.detail, name="detail"),
    path("classes/<uuid:classroom_id>/leave", views.leave, name="leave"),
    path("classes/<uuid:classroom_id>/rename", teaching.rename, name="rename"),
    path("classes/<uuid:classroom_id>/code", teaching.change_code, name="change_code"),
    path("classes/<uuid:classroom_id>/archive", teaching.archive, name="archive"),
    path("classes/<uuid:classroom_id>/delete", teaching.delete, name="delete"),
    path(
        "classes/<uuid:classroom_id>/members/<int:membership_id>",
        teaching.change_member,
        name="change_member",
    ),
    path("classes/<uuid:classroom_id>/assign/<slug:kind>/", teaching.assign, name="assign"),
    path("classes/<uuid:classroom_id>/results/", teaching.results, name="results"),
    path("classes/<uuid:classroom_id>/results.csv", teaching.results_csv, name="results_csv"),
    path("assignments/<uuid:assignment_id>/", views.assignment, name="assignment"),
    path("assignments/<uuid:assignment_id>/begin", views.begin, name="begin"),
    path("assignments/<uuid:assignment_id>/change", teaching.change, name="change"),
    path("assignments/<uuid:assignment_id>/withdraw", teaching.withdraw, name="withdraw"),
    path("attempts/<uuid:attempt_id>/", teaching.attempt, name="attempt"),
    path("attempts/<uuid:attempt_id>/run/<int:branch_id>/", teaching.attempt_run, name="attempt_run"),
    path("attempts/<uuid:attempt_id>/hand-in", views.hand_in, name="hand_in"),
]
