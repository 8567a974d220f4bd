"""Creates a table for interventions. The column that contained them as one JSON list keeps its name in the
database."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("walkthroughs", "0006_derived"),)

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=(
                migrations.RenameField("branch", "interventions", "earlier_interventions"),
                migrations.AlterField(
                    "branch",
                    "earlier_interventions",
                    models.JSONField(db_column="interventions", default=list),
                ),
            )
        ),
        migrations.CreateModel(
            name="Intervention",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("after", models.PositiveIntegerField()),
                ("intervention", models.JSONField()),
                (
                    "branch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="walkthroughs.branch",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("branch", "position"), name="intervention_once")
                ],
            },
        ),
    )
