width = 1
