"""Framings: bytes in any pieces to frames. They know nothing of what the frames say."""
