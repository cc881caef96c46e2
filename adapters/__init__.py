"""Wire formats of LLM APIs around one neutral model. Nothing here does I/O or reads a clock."""
