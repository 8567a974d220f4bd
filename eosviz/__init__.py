"""The web side of eosviz: the Django project and its apps. It imports `engine`, and `engine` never imports
it. Nothing is imported here, because `eosviz.launch` runs on a bare Python, before there is an environment."""
