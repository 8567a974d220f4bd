from django.db import models


class Row(models.Model):
    """What one click leaves behind."""

    number = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        app_label = "floor"

    def __str__(self) -> str:
        return str(self.number)
