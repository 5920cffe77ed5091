"""What explains the metrics: guide, worked examples, reference."""
