"""Policies that choose an action from what one seat may see."""
