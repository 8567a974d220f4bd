"""The workshop: scenarios that people build without code, their versions, and the gallery."""
