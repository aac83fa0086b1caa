"""Results of WorldPrediction: scores, sheets, the layout of the release."""
