from pathlib import Path

# settings
from langchain_openai import ChatOpenAI

chat = ChatOpenAI(model="MODEL", base_url="http://127.0.0.1:4100/v1", api_key="unused")
responses = ChatOpenAI(model="MODEL", base_url="http://127.0.0.1:4100/v1", api_key="unused", use_responses_api=True)
# end
from langchain.agents import create_agent  # noqa: E402
from langchain_core.tools import tool  # noqa: E402


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return Path("weather.txt").read_text()


asked = {"messages": [{"role": "user", "content": "What is the weather?"}]}
for model in (responses, chat):
    agent = create_agent(model, [weather])
    text = agent.invoke(asked)["messages"][-1].text
    assert weather.func("").strip() in text, text
    for state in agent.stream(asked, stream_mode="values"):
        text = state["messages"][-1].text
    assert weather.func("").strip() in text, text
print(text)
