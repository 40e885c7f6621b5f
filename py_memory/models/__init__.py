"""Models: what answers. They reach memory only through the tools handed to them."""
