"""What only the offline model needs: spans made whole, guesses weighed, doubts. `plan.py` alone imports it."""
