"""How large the picture beside a link is, in pixels; pages say so without drawing one."""

WIDTH, HEIGHT = 1200, 630
