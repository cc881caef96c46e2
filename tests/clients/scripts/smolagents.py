from pathlib import Path

# settings
from smolagents import OpenAIModel, ToolCallingAgent, tool

model = OpenAIModel(model_id="MODEL", api_base="http://127.0.0.1:4100/v1", api_key="unused")
# end


@tool
def weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: its name
    """
    return Path("weather.txt").read_text()


agent = ToolCallingAgent(tools=[weather], model=model, max_steps=2)
print(agent.run("What is the weather?"))
