"""Documents of long runs: three idempotent producers, six partitions, three brokers, and a few lost Produce responses.
Also the document of a run with many components.
"""

from typing import Any

from engine.scenario.document import Scenario, load

PRODUCERS = 3
PARTITIONS = 6
SENDS_PER_PARTITION = 600
STEPS_OF_SENDS = 13_000
"""The number of steps that `SENDS_PER_PARTITION` sends to each partition make at least. If they make more, the
scenario's limit of steps ends the run.
"""


def generated_document(
    steps: int = 20_000,
    sends: int | None = None,
    producers: int = PRODUCERS,
    partitions: int = PARTITIONS,
    brokers: int | None = None,
) -> dict[str, Any]:
    """A scenario that makes at least ``steps`` steps and stops there. One Produce response in a hundred is
    lost."""
    if sends is None:
        sends = max(SENDS_PER_PARTITION, SENDS_PER_PARTITION * steps // STEPS_OF_SENDS)
    applications = [
        {
            "name": f"app-{number}",
            "client": f"p{number}",
            "calls": [
                {
                    "at": 5 + number + 3 * partition,
                    "do": "send",
                    "partition": f"t-{partition}",
                    "records": sends,
                    "every": 23,
                }
                for partition in range(partitions)
            ],
        }
        for number in range(1, producers + 1)
    ]
    return {
        "id": "GENERATED",
        "title": {"en": "Three producers, six partitions", "zh-Hans": "三个生产者，六个分区"},
        "limits": {"steps": steps},
        "topics": [{"name": "t", "partitions": partitions}],
        **({} if brokers is None else {"cluster": {"brokers": brokers}}),
        "producers": [
            {"name": f"p{number}", "settings": {"enable_idempotence": True, "linger_ms": 3}}
            for number in range(1, producers + 1)
        ],
        "consumers": [{"name": "c1"}],
        "applications": applications,
        "faults": [
            {
                "action": "drop",
                "match": {"api": "Produce", "response": True, "rate": 0.01, "times": 1_000_000},
            }
        ],
    }


def wide_document(steps: int) -> dict[str, Any]:
    """Return a scenario with more producers, partitions and brokers than the stage is planned for: its picture has
    more than 200 objects.
    """
    return generated_document(steps, sends=100, producers=5, partitions=42, brokers=6)


def generated_scenario(steps: int = 20_000) -> Scenario:
    return load(generated_document(steps))
