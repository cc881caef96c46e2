import asyncio
from pathlib import Path

# settings
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)  # else it uploads traces to OpenAI
client = AsyncOpenAI(base_url="http://127.0.0.1:4100/v1", api_key="unused")
responses = OpenAIResponsesModel(model="MODEL", openai_client=client)
chat = OpenAIChatCompletionsModel(model="MODEL", openai_client=client)
# end


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return Path("weather.txt").read_text()


async def streamed(agent: Agent) -> str:
    running = Runner.run_streamed(agent, "What is the weather?")
    async for _ in running.stream_events():
        pass
    return running.final_output


async def main() -> None:
    word = Path("weather.txt").read_text().strip()
    for model in (chat, responses):
        agent = Agent(name="forecaster", model=model, tools=[weather])
        whole = (await Runner.run(agent, "What is the weather?")).final_output
        assert word in whole, whole
        text = await streamed(agent)
        assert word in text, text
    print(text)


asyncio.run(main())
