"""Expected costs of answers, and the budgets of runs."""
