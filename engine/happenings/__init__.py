"""The happenings of a run: typed events that roles and the kernel emit, grouped by role. ``engine/telling`` makes
sentences of them."""
