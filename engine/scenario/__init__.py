"""What a scenario document means, and the library of all of them."""
