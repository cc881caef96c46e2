# settings
mkdir -p ~/.codex
cat > ~/.codex/config.toml <<'TOML'
model = "MODEL"
model_provider = "toolwire"

[model_providers.toolwire]
name = "toolwire"
base_url = "http://127.0.0.1:4100/v1"
wire_api = "responses"
env_key = "TOOLWIRE_KEY"
TOML
export TOOLWIRE_KEY=unused
# end
codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
  'Call the tool exec_command with {"cmd": "cat weather.txt"} and tell me what it says.
   Or call the tool shell_command with {"command": "cat weather.txt"}.'
