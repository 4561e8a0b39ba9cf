"""What a report needs, computed: the analyses of every chapter, put together."""
