"""What `ragdash fuse` and the report say about fusions: the answer, and what each run brings."""
