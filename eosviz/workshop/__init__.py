"""The workshop: scenarios that users build without code, their versions, and the gallery."""
