"""From a tree in OpenConfig's models to what a tool gives back, as docs/gnmi.md promises it: one file a model."""
