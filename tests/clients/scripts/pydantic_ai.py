from collections.abc import AsyncIterable
from pathlib import Path

# settings
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

openai = OpenAIProvider(base_url="http://127.0.0.1:4100/v1", api_key="unused")
models = (
    OpenAIChatModel("MODEL", provider=openai),
    OpenAIResponsesModel("MODEL", provider=openai),
    AnthropicModel("MODEL", provider=AnthropicProvider(base_url="http://127.0.0.1:4100", api_key="unused")),
    GoogleModel("MODEL", provider=GoogleProvider(base_url="http://127.0.0.1:4100", api_key="unused")),
)
# end


def weather(city: str) -> str:
    """The weather in a city."""
    return Path("weather.txt").read_text()


async def streamed(context: object, events: AsyncIterable[object]) -> None:
    """`run_stream` would take a sentence before a call for the end; a handler makes the loop stream just as well."""
    async for _ in events:
        pass


for model in models:
    agent = Agent(model, tools=[weather])
    text = agent.run_sync("What is the weather?").output
    assert weather("").strip() in text, (model, text)
    text = agent.run_sync("What is the weather?", event_stream_handler=streamed).output
    assert weather("").strip() in text, (model, text)
print(text)
