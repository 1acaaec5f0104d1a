"""An agent made with the OpenAI Agents SDK: it has a tool, a helper and a session that goes on. --stream has it stream."""
import asyncio
import subprocess
import sys

from agents import Agent, Runner, SQLiteSession, function_tool, set_tracing_disabled

set_tracing_disabled(True)


@function_tool
def shell(command: str) -> str:
    """Run a command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


async def answer():
    how = dict(session=SQLiteSession("s", "session.db"), max_turns=60)
    if "--stream" not in sys.argv:
        return (await Runner.run(agent, sys.argv[-1], **how)).final_output
    result = Runner.run_streamed(agent, sys.argv[-1], **how)
    async for _ in result.stream_events():
        pass
    return result.final_output


helper = Agent(name="helper", instructions="Help.", tools=[shell], model="gpt-5.4")
agent = Agent(name="agent", instructions="Be brief.", model="gpt-5.4",
              tools=[shell, helper.as_tool("ask_helper", "Ask a helper.")])
print(asyncio.run(answer()))
