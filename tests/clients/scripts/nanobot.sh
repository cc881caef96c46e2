# settings
mkdir -p ~/.nanobot
cat > ~/.nanobot/config.json <<'JSON'
{
  "providers": {"custom": {"apiKey": "unused", "apiBase": "http://127.0.0.1:4100/v1"}},
  "agents": {"defaults": {"provider": "custom", "model": "MODEL"}}
}
JSON
# end
nanobot agent --no-markdown -m "Call the tool read_file with {\"path\": \"$PWD/weather.txt\"} and tell me what it says."
