"""What pages show of many runs and of judges, as functions of `import ragdash` and as objects for notebooks."""
