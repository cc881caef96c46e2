"""What several wires have in common, one small subject a module. Nothing here knows a single format by name."""
