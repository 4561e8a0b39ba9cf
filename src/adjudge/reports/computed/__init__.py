"""What the report needs, computed: one module per part of the page."""
