"""The loops of `chats.py` under the openai package of whatever interpreter runs this: `python older_client.py BASE`.

Prints one JSON object: the package's version, and the calls that each loop made.
"""

import json
import sys

import openai
from chats import WAYS, loop

if __name__ == "__main__":
    client = openai.OpenAI(base_url=sys.argv[1], api_key="unused", max_retries=0, timeout=20)
    done = {
        f"{model} {count} {way.__name__}": loop(client, way, model, count)
        for model in sys.argv[2:]
        for count in (2, 20)
        for way in WAYS
    }
    print(json.dumps({"version": openai.__version__, "calls": done}))
