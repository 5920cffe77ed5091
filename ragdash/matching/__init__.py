"""What a run returned against what is right: judged hits, evidence, answers, and the views that metrics read."""
