"""Which method and settings to fuse with: the grid, the choice on it, and whether it holds on other queries."""
