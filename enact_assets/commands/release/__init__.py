"""The public release's files and commands: recorded replays, questions, answers, reports."""
