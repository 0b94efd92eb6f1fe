"""The terminal client and the `euchre` command."""
