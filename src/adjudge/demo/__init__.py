"""A worked example: invented news, four writers, and systems of visibly different quality."""
