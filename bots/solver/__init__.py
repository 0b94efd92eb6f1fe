"""The search core: a hand of Euchre solved with all cards open (`search`), in terms of cards (`open_hand`)."""
