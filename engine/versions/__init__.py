"""Versions of Kafka that a run may follow: a file each, found by `engine/profiles.py`. What each field means stands in
`engine/profile.py`. A new version is a file here: `PROFILE = replace(K28, name=…, version=…, …)`."""
