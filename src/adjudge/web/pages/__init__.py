"""What each page of the app shows: one frozen object a page; the templates decide nothing."""
