# settings
cat > opencode.json <<'JSON'
{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "toolwire": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "http://127.0.0.1:4100/v1", "apiKey": "unused"},
      "models": {"MODEL": {}}
    }
  },
  "model": "toolwire/MODEL",
  "small_model": "toolwire/MODEL"
}
JSON
export OPENCODE_DISABLE_MODELS_FETCH=1
export OPENCODE_DISABLE_AUTOUPDATE=1
# end
echo "Call the tool read with {\"filePath\": \"$PWD/weather.txt\"} and tell me what it says." | opencode run
