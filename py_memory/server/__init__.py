"""The server side. None of it is part of the page."""
