"""The server: tables as folds of their logs, and the connections that serve them."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("euchre")
except PackageNotFoundError:  # run from a tree that is not installed
    __version__ = "0"
