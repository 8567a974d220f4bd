from django.db import models


class Row(models.Model):
    """The row that the task commits for one click."""

    number = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        app_label = "floor"

    def __str__(self) -> str:
        return str(self.number)
