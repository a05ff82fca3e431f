"""Words of English that every field's finder shares: classes, endings, families, names."""
