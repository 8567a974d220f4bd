"""The versions of Kafka that a run may follow, one file for each; `engine/profiles.py` finds them.
`engine/profile.py` explains the fields. To add a version, add a file here: `PROFILE = replace(K28, name=…,
version=…, …)`."""
