"""The web side of eosviz: the Django project and its apps. It imports `engine`, not the reverse. Nothing is
imported here, because `eosviz.launch` runs on a bare Python."""
