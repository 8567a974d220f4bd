from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F


def count(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Earlier tables were made at a sweep's end, from all of its runs."""
    sweeps = apps.get_model("pipeline", "Sweep").objects
    sweeps.exclude(table=[]).update(table_runs=F("done"))


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0002_jobs")]
    operations = [
        migrations.AddField("sweep", "table_runs", models.PositiveIntegerField(default=0)),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
