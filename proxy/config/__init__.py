"""The operator's configuration: one YAML file, checked whole, then frozen values."""
