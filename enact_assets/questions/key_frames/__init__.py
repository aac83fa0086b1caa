"""Facts -> segmented (key) frames, their scene graphs, and the changes between them."""
