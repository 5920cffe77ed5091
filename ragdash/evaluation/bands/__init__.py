"""Bands of metric values: thresholds in a file, and the best value that the judgments allow."""
