"""An agent made with pydantic-ai: it has a tool, a helper and a history that goes on."""
import pathlib
import subprocess
import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter

helper = Agent("openai-chat:gpt-5.1", instructions="Help.")
agent = Agent("openai-chat:gpt-5.1", instructions="Be brief.")


@helper.tool_plain
@agent.tool_plain
def shell(command: str) -> str:
    """Run a command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


@agent.tool_plain
async def ask_helper(input: str) -> str:
    """Ask a helper."""
    return (await helper.run(input)).output


kept = pathlib.Path("history.json")
before = ModelMessagesTypeAdapter.validate_json(kept.read_bytes()) if kept.exists() else None
result = agent.run_sync(sys.argv[1], message_history=before)
kept.write_bytes(result.all_messages_json())
print(result.output)
