"""Recognizers of tool calls that a model wrote as text, one for each form of text-tool-calls §1."""
