"""What all figures share: colors, axes, forests."""
