"""The least that a click can cost on this stack: consumer → Celery task that commits one row → group send."""
