from pathlib import Path

# settings
from anthropic import Anthropic

client = Anthropic(base_url="http://127.0.0.1:4100", api_key="unused")
# end
TOOL = {
    "name": "weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def loop(stream: bool, **more: object) -> str:
    asked = {"model": "MODEL", "max_tokens": 4000, "tools": [TOOL], **more}
    messages = [{"role": "user", "content": "What is the weather?"}]
    while True:
        if stream:
            with client.messages.stream(messages=messages, **asked) as running:
                message = running.get_final_message()
        else:
            message = client.messages.create(messages=messages, **asked)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message.content[-1].text
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": Path("weather.txt").read_text()}
            for block in message.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})


thinking = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
for stream in (False, True):
    for more in ({}, thinking):
        text = loop(stream, **more)
        assert Path("weather.txt").read_text().strip() in text, text
print(text)
