"""Questions -> what each model said."""
