from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("walkthroughs", "0004_keyframe_near"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptPlan",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("steps", models.PositiveIntegerField()),
                ("complete", models.BooleanField()),
                ("packed", models.BinaryField()),
                ("made", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
        ),
    ]
