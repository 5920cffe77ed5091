"""What a metric may look at: ranked hits, evidence, texts, cost, scores of models, verdicts of judges."""
