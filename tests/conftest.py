"""What every test needs."""

import os

from hypothesis import settings

# No deadline for an example: on a busy machine a slow one says nothing about the code. Continuous integration tries the
# same examples each time; everybody else's runs look for new ones.
settings.register_profile("euchre", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("euchre")
