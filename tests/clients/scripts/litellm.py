from pathlib import Path

# settings
import litellm

settings = {"model": "openai/MODEL", "api_base": "http://127.0.0.1:4100/v1", "api_key": "unused"}
settings_of_messages = {"model": "anthropic/MODEL", "api_base": "http://127.0.0.1:4100", "api_key": "unused"}
# end
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "The weather.", "parameters": SCHEMA}}]


def loop(settings: dict[str, str], stream: bool) -> str:
    messages = [{"role": "user", "content": "What is the weather?"}]
    while True:
        answer = litellm.completion(**settings, messages=messages, tools=TOOLS, stream=stream)
        if stream:
            answer = litellm.stream_chunk_builder(list(answer), messages=messages)
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            output = Path("weather.txt").read_text()
            messages.append({"role": "tool", "tool_call_id": call.id, "content": output})


for way in (settings_of_messages, settings):
    for stream in (False, True):
        text = loop(way, stream)
        assert Path("weather.txt").read_text().strip() in text, text
print(text)
