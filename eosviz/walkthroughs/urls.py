from django.urls import URLPattern, URLResolver

app_name = "walkthroughs"
urlpatterns: list[URLPattern | URLResolver] = []
