from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("replays", "0007_uploads"),
    ]

    operations = [
        migrations.AddField(
            model_name="replay",
            name="as_written",
            field=models.BooleanField(default=True),
        ),
    ]
