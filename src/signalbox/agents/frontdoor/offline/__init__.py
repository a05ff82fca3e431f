"""What only a model that fills plans needs: courtesies are answered without asking it."""
