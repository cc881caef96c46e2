"""Turns a neutral request into one that a given API can carry: names, ids, schemas, tool choice, history.

Each API is one row, a `Rules` value; the mechanism is the same for all. What comes out is again a neutral request,
now in the wire's names and ids, which the API's own encoder writes down without further repair, and a `Reading`, the
way back.
"""
