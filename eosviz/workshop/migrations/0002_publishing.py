import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workshop", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Publishing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("refusal", models.JSONField(default=None, null=True)),
                ("beat", models.DateTimeField()),
                (
                    "draft",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publishing",
                        to="workshop.draft",
                    ),
                ),
            ],
        ),
    ]
