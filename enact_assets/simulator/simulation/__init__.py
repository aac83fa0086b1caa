"""A simulation frame by frame: its steps, its log, the facts of the log, the recording."""
