"""What a run says of each strategy: measurements, what they are counted from, and the intervals of rates."""
