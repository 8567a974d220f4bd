from django.urls import URLPattern, URLResolver

app_name = "reference"
urlpatterns: list[URLPattern | URLResolver] = []
