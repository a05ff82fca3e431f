"""Fields that hold numbers: numbers in words and digits, units, and whose number it is."""
