"""`euchre admin`: looking after a server's database. The commands are the server's, called by their names."""

from __future__ import annotations

from typing import Final

from cyclopts import App

bots: Final = App(name="bots", help="Accounts of external bots.")
bots.command("server.admin:add_bot", name="add", help="Make an account and print its token.", sort_key=0)
bots.command("server.admin:list_bots", name="list", help="List the accounts.", sort_key=1)
bots.command("server.admin:revoke_bot", name="revoke", help="Make a bot's token worthless.", sort_key=2)

restart: Final = App(name="restart", help="Tell players of a restart ahead.")
restart.command("server.admin:announce_restart", name="announce", help="Tell players when it comes.", sort_key=0)
restart.command("server.admin:call_off_restart", name="call-off", help="Tell players that it does not.", sort_key=1)

admin: Final = App(name="admin")
admin.command(bots)
admin.command(restart)
admin.command("server.admin:migrate", name="migrate", help="Bring the database up to this version.", sort_key=1)
