"""The programs people play with."""
