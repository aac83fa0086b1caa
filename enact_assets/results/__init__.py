"""Results: answers verified and compared, published, as a report and as pages."""
