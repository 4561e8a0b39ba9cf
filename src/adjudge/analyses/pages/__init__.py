"""What pages and the report's chapters share: what a chapter is, names and numbers on a page, sections, files."""
