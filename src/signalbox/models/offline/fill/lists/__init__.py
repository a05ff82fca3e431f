"""Fields that hold several things: lists of values, of phrases and of objects, and maps."""
