"""Policies that choose an action from what one seat may see, and the worker that offers them to a server."""
