import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("walkthroughs", "0002_presentation"),
    ]

    operations = [
        migrations.CreateModel(
            name="Prediction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.PositiveIntegerField()),
                ("checkpoint", models.PositiveSmallIntegerField()),
                ("ask", models.CharField(max_length=40)),
                ("choice", models.CharField(blank=True, max_length=80)),
                ("right", models.BooleanField(null=True)),
                ("answered", models.DateTimeField(auto_now_add=True)),
                (
                    "branch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="walkthroughs.branch",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="predictions",
                        to="walkthroughs.session",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("branch", "at"), name="prediction_once")],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("owner", models.CharField(max_length=64)),
                ("track", models.CharField(max_length=64)),
                ("position", models.PositiveSmallIntegerField()),
                ("done", models.BooleanField(default=False)),
                ("begun", models.DateTimeField(auto_now_add=True)),
                (
                    "session",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="visit",
                        to="walkthroughs.session",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "track", "position"), name="visit_once")
                ],
            },
        ),
    ]
