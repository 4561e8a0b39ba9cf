"""What everything stands on: errors, words, tables, pictures, where work runs."""
