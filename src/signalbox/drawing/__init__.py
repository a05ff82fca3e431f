"""Draws blocks in the terminal and as files (SVG, PNG, HTML). The page draws its own.

Only the types of blocks are known here, never an agent. An unknown or malformed block is shown as readable text.
"""
