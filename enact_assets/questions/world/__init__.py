"""WorldPrediction: which action, and which plan, leads from one picture to another."""
