# settings
mkdir -p ~/.openclaw
cat > ~/.openclaw/openclaw.json <<'JSON'
{
  "models": {
    "mode": "merge",
    "providers": {
      "toolwire": {
        "baseUrl": "http://127.0.0.1:4100/v1",
        "apiKey": "unused",
        "api": "openai-completions",
        "models": [{"id": "MODEL", "name": "toolwire", "contextWindow": 200000, "maxTokens": 8000}]
      }
    }
  },
  "agents": {"defaults": {"model": {"primary": "toolwire/MODEL"}}}
}
JSON
# end
openclaw agent --local --session-id weather \
  --message "Call the tool read with {\"path\": \"$PWD/weather.txt\"} and tell me what it says."
