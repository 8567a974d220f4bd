from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("walkthroughs", "0003_presented_why"),
    ]

    operations = [
        migrations.AddField(
            model_name="keyframe",
            name="near",
            field=models.BinaryField(null=True),
        ),
    ]
