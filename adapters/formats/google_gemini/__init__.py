"""Gemini generateContent (v1beta and v1, with Vertex's differences, 2026-11): upstreams' API and clients' dialect."""

from adapters.format import Api, Dialect
from adapters.formats.google_gemini.api import GoogleGemini
from adapters.formats.google_gemini.dialect import Gemini

API: Api = GoogleGemini()
DIALECT: Dialect = Gemini()
