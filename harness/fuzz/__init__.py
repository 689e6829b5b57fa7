"""Fuzzing: properties that hold on all inputs, what makes the inputs, and what drives one with the other."""
