"""What only a model that fills plans needs: a sentence about a trouble, read with the names that there are."""
