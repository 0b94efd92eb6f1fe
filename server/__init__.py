"""Tables, their logs, sessions and the lobby: the referee."""
