from django.urls import URLPattern, URLResolver

app_name = "replays"
urlpatterns: list[URLPattern | URLResolver] = []
