"""Finding memories again: the search index, exact search, and ranked recall."""
