from pathlib import Path

# settings
from openai import OpenAI

client = OpenAI(base_url="http://127.0.0.1:4100/v1", api_key="unused")
# end
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def weather(city: str) -> str:
    return Path("weather.txt").read_text()


def chat(stream: bool) -> str:
    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
    messages = [{"role": "user", "content": "What is the weather?"}]
    while True:
        if stream:
            with client.chat.completions.stream(model="MODEL", messages=messages, tools=tools) as running:
                for _ in running:
                    pass
                message = running.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(model="MODEL", messages=messages, tools=tools).choices[0].message
        messages.append(message.model_dump(exclude_none=True) if stream else message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": weather(call.function.arguments)})


def responses(stream: bool) -> str:
    tools = [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}]
    items = [{"role": "user", "content": "What is the weather?"}]
    while True:
        if stream:
            with client.responses.stream(model="MODEL", input=items, tools=tools) as running:
                answer = running.get_final_response()
        else:
            answer = client.responses.create(model="MODEL", input=items, tools=tools)
        items += [item.model_dump(exclude_none=True) for item in answer.output]
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return answer.output_text
        for call in calls:
            output = weather(call.arguments)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


told = {(way.__name__, stream): way(stream) for way in (responses, chat) for stream in (False, True)}
for (name, stream), text in told.items():
    assert weather("") in text + "\n", (name, stream, text)
print(told["chat", True])
