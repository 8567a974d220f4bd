from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scenarios", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Endings",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("form", models.CharField(max_length=16)),
                ("runs", models.JSONField()),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=models.deletion.CASCADE,
                        related_name="endings",
                        to="scenarios.scenarioversion",
                    ),
                ),
            ],
        ),
    ]
