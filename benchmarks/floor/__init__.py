"""The floor: a site that does only the minimum that a click costs on this stack. A consumer, a Celery task that
commits one row, and a group send.
"""
