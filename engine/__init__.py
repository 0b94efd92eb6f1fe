"""The rules of Euchre as pure functions over frozen state."""
