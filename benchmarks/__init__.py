"""What is measured and how: README.md. `python -m benchmarks [NAME…]` prints `name value unit` lines."""
