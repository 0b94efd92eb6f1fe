"""Policies that choose an action from what one seat may see, the worker that offers them to a server, and `Bot`."""

from bots.sdk.bot import Bot

__all__ = ["Bot"]
