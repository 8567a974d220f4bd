"""The library of scenarios as pages."""
