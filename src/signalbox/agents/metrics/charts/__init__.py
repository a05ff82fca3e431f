"""Charts of an answer: in the terminal, as a Plotly figure, as a file."""
