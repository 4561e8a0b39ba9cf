"""What programs that judge are worth."""
