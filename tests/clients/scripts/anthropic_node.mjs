import { readFileSync } from "node:fs";

// settings
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "http://127.0.0.1:4100", apiKey: "unused" });
// end
const input_schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const messages = [{ role: "user", content: "What is the weather?" }];
for (;;) {
  const asked = { model: "MODEL", max_tokens: 4000, messages, tools: [{ name: "weather", input_schema }] };
  const message = await client.messages.stream(asked).finalMessage();
  messages.push({ role: "assistant", content: message.content });
  if (message.stop_reason !== "tool_use") {
    console.log(message.content.at(-1).text);
    break;
  }
  const calls = message.content.filter((block) => block.type === "tool_use");
  const content = readFileSync("weather.txt", "utf8");
  messages.push({ role: "user", content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content })) });
}
