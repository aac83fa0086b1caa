"""What answers cost before they are bought, and who may spend what."""
