"""Which upstream is asked, in which order, and what a failure leads to. Only `run` awaits anything."""
