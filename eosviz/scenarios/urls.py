from django.urls import URLPattern, URLResolver

app_name = "scenarios"
urlpatterns: list[URLPattern | URLResolver] = []
