"""For authors of bots: a class to derive from, programs in any language, and what plays and checks both."""
