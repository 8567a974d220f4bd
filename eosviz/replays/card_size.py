"""Size of a link's preview picture in pixels; pages state it without drawing one."""

WIDTH, HEIGHT = 1200, 630
