"""Inputs of strangers by number: the same number gives the same input. `targets.py` lists what reads them."""
