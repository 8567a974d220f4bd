"""Makes hostile inputs by number: the same number always gives the same input. `targets.py` lists the parsers that
read them.
"""
