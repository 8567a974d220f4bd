"""The web side of eosviz: the Django project and its apps. It imports `engine`, never the other way round. Nothing
is imported here: `eosviz.launch` runs on a bare Python, before there is an environment."""
