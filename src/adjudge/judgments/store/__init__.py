"""Where judgments are kept: tasks, answers, people, accounts, in SQLite or PostgreSQL."""
