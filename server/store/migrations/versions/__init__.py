"""One module a step, numbered; a step that was ever released is not changed any more."""
