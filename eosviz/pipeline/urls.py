from django.urls import URLPattern, URLResolver

app_name = "pipeline"
urlpatterns: list[URLPattern | URLResolver] = []
