from pathlib import Path

# settings
from google import genai
from google.genai import types

client = genai.Client(api_key="unused", http_options=types.HttpOptions(base_url="http://127.0.0.1:4100"))
# end


def weather(city: str) -> str:
    """The weather in a city."""
    return Path("weather.txt").read_text()


chat = client.chats.create(model="MODEL", config=types.GenerateContentConfig(tools=[weather]))
text = chat.send_message("What is the weather?").text
assert weather("").strip() in text, text
chat = client.chats.create(model="MODEL", config=types.GenerateContentConfig(tools=[weather]))
print("".join(piece.text or "" for piece in chat.send_message_stream("What is the weather?")))
