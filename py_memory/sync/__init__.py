"""Synchronisation in batches: what travels, the wire format, and the client's side of a sync."""
