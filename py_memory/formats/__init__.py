"""Files that carry memories in and out."""
