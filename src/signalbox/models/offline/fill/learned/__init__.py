"""Free texts by weights that were learned: pieces of a sentence, what is known of them, and which field takes which."""
