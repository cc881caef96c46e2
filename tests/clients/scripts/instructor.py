from pathlib import Path

# settings
import instructor
from openai import OpenAI
from pydantic import BaseModel

client = instructor.from_openai(OpenAI(base_url="http://127.0.0.1:4100/v1", api_key="unused"))
# end


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    days: int


asked = [{"role": "user", "content": "What is the weather?"}]
found, answer = client.chat.completions.create_with_completion(model="MODEL", messages=asked, response_model=Weather)
assert isinstance(found.days, int)
for part in client.chat.completions.create_partial(model="MODEL", messages=asked, response_model=Weather):
    last = part
assert isinstance(last.days, int)
message = answer.choices[0].message
word = Path("weather.txt").read_text()
results = [{"role": "tool", "tool_call_id": call.id, "content": word} for call in message.tool_calls]
tools = [{"type": "function", "function": {"name": "Weather", "parameters": Weather.model_json_schema()}}]
messages = [*asked, {"content": None, **message.model_dump(exclude_none=True)}, *results]
said = client.chat.completions.create(model="MODEL", messages=messages, tools=tools, response_model=None)
print(said.choices[0].message.content)
