from pathlib import Path

# settings
from smolagents import OpenAIModel, ToolCallingAgent, tool

model = OpenAIModel(
    model_id="MODEL", api_base="http://127.0.0.1:4100/v1", api_key="unused", parallel_tool_calls=False
)
# end


@tool
def weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: its name
    """
    return Path("weather.txt").read_text()


agent = ToolCallingAgent(tools=[weather], model=model, max_steps=3)
said = agent.run('Call the tool weather with {"city": "Rome"}.')
steps = [step for step in agent.memory.steps if getattr(step, "tool_calls", None)]
names = [call.name for step in steps for call in step.tool_calls]
assert names[0] == "weather", names
if names[-1] == "final_answer":  # the answer of this client is a call, too: the loop is done when it is reached
    print("The tools answered:", steps[0].observations)
print(said)
