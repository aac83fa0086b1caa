"""Commands of the board: submit, verify a submission, write the pages."""
