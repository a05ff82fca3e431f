"""Drawing of blocks, for everybody: in the terminal, and as files (SVG, PNG, HTML). The page draws its own.

What is drawn here knows the types of blocks and never an agent. A block of an unknown type, or one that is not as it
should be, is shown as readable text.
"""
