"""Steps of plans, and what is known of each before it is simulated."""
