"""What every test needs."""

from hypothesis import settings

# No deadline for an example: on a busy machine a slow one says nothing about the code.
settings.register_profile("euchre", deadline=None, print_blob=True)
settings.load_profile("euchre")
