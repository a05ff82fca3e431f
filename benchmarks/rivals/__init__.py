"""Other packages, each in an environment of its own and in a process of its own that works in turns with ours."""
