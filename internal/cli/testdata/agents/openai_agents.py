"""An agent made with the OpenAI Agents SDK: it has a tool, a helper and a session that goes on."""
import subprocess
import sys

from agents import Agent, Runner, SQLiteSession, function_tool, set_tracing_disabled

set_tracing_disabled(True)


@function_tool
def shell(command: str) -> str:
    """Run a command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


helper = Agent(name="helper", instructions="Help.", tools=[shell], model="gpt-5.1")
agent = Agent(name="agent", instructions="Be brief.", model="gpt-5.1",
              tools=[shell, helper.as_tool("ask_helper", "Ask a helper.")])
print(Runner.run_sync(agent, sys.argv[1], session=SQLiteSession("s", "session.db")).final_output)
