"""The engine's output as types: header, step, view and plan (docs/frame.md).

Shapes of JSON and nothing else. The roles' own ``view()`` functions are typed by them, and the schema of what goes
between server and page is made of them (``eosviz/contract``). A table of the view that holds nothing may be absent, so
tables are ``NotRequired``.
"""
