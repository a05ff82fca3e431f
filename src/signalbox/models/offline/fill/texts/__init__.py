"""Fields of free text: names, things, titles, notes; which words, from where to where, and for which field."""
