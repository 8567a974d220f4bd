from django.urls import URLPattern, URLResolver, path

from eosviz.analytics import views

app_name = "analytics"
urlpatterns: list[URLPattern | URLResolver] = [
    path("analytics/", views.of_all, name="of_all"),
    path("analytics/ask", views.ask_of_all, name="ask_of_all"),
    path("classes/<uuid:classroom_id>/analytics/", views.of_class, name="of_class"),
    path("classes/<uuid:classroom_id>/analytics/ask", views.ask_of_class, name="ask_of_class"),
    path("sessions/<uuid:session_id>/trail", views.trail, name="trail"),
]
