"""What the rules of several agents share: windows of lines, similarity, look-alikes, bounded work."""
