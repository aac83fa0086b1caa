"""Results: verification and comparison of answers, publication, the report, and pages."""
