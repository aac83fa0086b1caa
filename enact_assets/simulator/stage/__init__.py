"""What an activity sets up: a world of fixtures, things and substances, with recipes."""
