width = 2
