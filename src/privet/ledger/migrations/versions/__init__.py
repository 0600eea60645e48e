"""The revisions, each with the way back."""
