"""The fuzzing engine: workers, inputs, findings, shrinking, nights."""
