from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F


def count(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Set `table_runs` of existing sweeps to the number of their runs: their tables were made at the end,
    from all runs."""
    sweeps = apps.get_model("pipeline", "Sweep").objects
    sweeps.exclude(table=[]).update(table_runs=F("done"))


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0002_jobs")]
    operations = [
        migrations.AddField("sweep", "table_runs", models.PositiveIntegerField(default=0)),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
