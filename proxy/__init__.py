"""The toolwire server: endpoints, routing, upstream connections. It knows no wire format."""

__version__ = "0.1.0"
