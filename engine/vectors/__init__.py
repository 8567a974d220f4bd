"""Cases drawn from Kafka, run through the same objects that scenarios use."""

from engine.vectors.outcome import Failure, Skip
from engine.vectors.run import Report, run_file, run_files

__all__ = ["Failure", "Report", "Skip", "run_file", "run_files"]
