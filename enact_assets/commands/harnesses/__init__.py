"""Question sets in the form of other tools: Hugging Face, Inspect, lmms-eval, VLMEvalKit."""
