"""Questions to learn from, rewards on arrays, and what a training set holds of a test."""
