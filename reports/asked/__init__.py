"""What a model's replies to tasks say: which format it should write, and which rule applies it best."""
