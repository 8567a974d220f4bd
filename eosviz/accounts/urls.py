from django.urls import URLPattern, URLResolver, path

from eosviz.accounts import usage, views

app_name = "accounts"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.account, name="account"),
    path("ask-to-teach", views.ask_to_teach, name="ask_to_teach"),
    path("used", usage.used, name="used"),
    path("download", views.download, name="download"),
    path("delete", views.delete, name="delete"),
]
