"""Hidden paths behind released words: the recursions that decoding and learning share."""
