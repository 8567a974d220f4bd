from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("replays", "0002_linked_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="replay",
            name="analysis",
            field=models.JSONField(default=None, null=True),
        ),
    ]
