import { readFileSync } from "node:fs";

// settings
import OpenAI from "openai";

const client = new OpenAI({ baseURL: "http://127.0.0.1:4100/v1", apiKey: "unused" });
// end
const word = () => readFileSync("weather.txt", "utf8");
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const user = { role: "user", content: "What is the weather?" };

async function chat() {
  const tool = { type: "function", function: { name: "weather", parameters, parse: JSON.parse, function: word } };
  const running = client.chat.completions.runTools({ model: "MODEL", messages: [user], tools: [tool], stream: true });
  return await running.finalContent();
}

async function responses() {
  const tools = [{ type: "function", name: "weather", parameters, strict: false }];
  const input = [user];
  for (;;) {
    const answer = await client.responses.stream({ model: "MODEL", input, tools }).finalResponse();
    input.push(...answer.output);
    const calls = answer.output.filter((item) => item.type === "function_call");
    if (!calls.length) return answer.output_text;
    for (const call of calls) input.push({ type: "function_call_output", call_id: call.call_id, output: word() });
  }
}

const told = await responses();
if (!told.includes(word().trim())) throw new Error(told);
console.log(await chat());
