# settings
export ANTHROPIC_BASE_URL=http://127.0.0.1:4100
export ANTHROPIC_AUTH_TOKEN=unused
export ANTHROPIC_MODEL=MODEL
export ANTHROPIC_DEFAULT_HAIKU_MODEL=MODEL
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
# end
claude -p "Call the tool Read with {\"file_path\": \"$PWD/weather.txt\"} and tell me what it says." --allowed-tools Read
