import { readFileSync } from "node:fs";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

// settings
import { createOpenAI } from "@ai-sdk/openai";

const provider = createOpenAI({ baseURL: "http://127.0.0.1:4100/v1", apiKey: "unused" });
const models = [provider.responses("MODEL"), provider.chat("MODEL")];
// end
const word = () => readFileSync("weather.txt", "utf8");
const weather = tool({ description: "The weather.", inputSchema: z.object({ city: z.string() }), execute: word });
let text;
for (const model of models) {
  const asked = { model, tools: { weather }, stopWhen: stepCountIs(3), prompt: "What is the weather?" };
  text = (await generateText(asked)).text;
  if (!text.includes(word().trim())) throw new Error(text);
  text = await streamText(asked).text;
  if (!text.includes(word().trim())) throw new Error(text);
}
console.log(text);
