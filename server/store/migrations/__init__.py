"""How a store comes to its schema, step by step; alembic follows them."""
