"""One package per wire format. None of them names another."""
