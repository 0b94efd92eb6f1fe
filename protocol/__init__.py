"""The messages of `euchre.v1`, their encoding, and the client's half of resume."""
