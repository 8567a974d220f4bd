"""The size of a link's preview picture in pixels. It is in a module of its own, because pages state it
without drawing a picture."""

WIDTH, HEIGHT = 1200, 630
