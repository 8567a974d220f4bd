"""Renames the field `apart` to `not_compared`. The column in the database stays `apart`."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("analytics", "0001_analyses"),)

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=(
                migrations.RenameField("analysis", "apart", "not_compared"),
                migrations.AlterField(
                    "analysis", "not_compared", models.PositiveIntegerField(db_column="apart", default=0)
                ),
            )
        ),
    )
