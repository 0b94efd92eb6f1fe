"""What alembic runs: the steps, on the connection and in the transaction of the one who asked."""

from alembic import context

from server.store.schema import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, version_table=VERSION_TABLE
)
with context.begin_transaction():
    context.run_migrations()
