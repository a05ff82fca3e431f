"""From a tree in OpenConfig's models to what a tool gives back: one file a model, each with what docs/gnmi.md promises."""
