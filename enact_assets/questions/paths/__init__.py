"""Transition graph -> exact path counts -> sampled key-frame trajectories."""
