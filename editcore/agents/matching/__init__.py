"""What the rules of several agents share: windows of lines, similarity, indentation, look-alikes, bounded work."""
