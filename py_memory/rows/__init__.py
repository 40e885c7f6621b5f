"""The tables, one family a module, each with its SQL. Functions take the Database and the owner; they return
records."""
