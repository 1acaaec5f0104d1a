"""Makes calls with the real Python clients of four APIs, for clients_test.go.

Each line of standard input is a call to make: {"client": …, "case": …, "base": …}. Each
line of standard output is what came of it: {"client": …, "case": …, "answer": …}, or
"left_out" with the reason why this client has no such call.
"""

import asyncio
import base64
import json
import os
import struct
import sys
import warnings
import zlib

KEY = "sk-clients-0123456789"
os.environ.update(
    OPENAI_API_KEY=KEY, ANTHROPIC_API_KEY=KEY, GEMINI_API_KEY=KEY, OPENAI_AGENTS_DISABLE_TRACING="1",
    LITELLM_LOCAL_MODEL_COST_MAP="True", LANGSMITH_TRACING="false",
)
warnings.filterwarnings("ignore")

QUESTION = "What is the weather in Oslo and in Rome? ☀ <b>&</b> \u2028"
SYSTEM = "Answer in one sentence."
TOOL = "weather"
DESCRIPTION = "The weather of a city."
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: 12 °C"


def pixel() -> bytes:
    """A picture of one red pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
            + chunk(b"IEND", b""))


PIXEL = base64.b64encode(pixel()).decode()


class LeftOut(Exception):
    """The client has no such call."""


def first(stream):
    """Reads one piece of a stream and leaves it."""
    for _ in stream:
        break
    stream.close()
    return "left"


def openai_chat(case, base):
    from openai import OpenAI

    client = OpenAI(base_url=base + "/v1", max_retries=2 if case == "retry" else 0)
    content = QUESTION
    if case == "image":
        content = [{"type": "text", "text": QUESTION},
                   {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL}}]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]
    tools = [{"type": "function", "function": {"name": TOOL, "description": DESCRIPTION, "parameters": SCHEMA}}]
    more = {"tools": tools} if case == "tools" else {}
    if case == "thinking":
        raise LeftOut("chat completions do not show what the model thought")
    if case in ("stream", "cancel"):
        stream = client.chat.completions.create(
            model="gpt-x", messages=messages, stream=True, stream_options={"include_usage": True})
        if case == "cancel":
            return first(stream)
        return "".join(c.choices[0].delta.content or "" for c in stream if c.choices)
    while True:
        message = client.chat.completions.create(model="gpt-x", messages=messages, temperature=0.5, **more).choices[0].message
        if not message.tool_calls:
            return message.refusal or message.content
        messages.append(message)
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id,
                             "content": weather(**json.loads(call.function.arguments))})


def openai_responses(case, base):
    from openai import OpenAI

    client = OpenAI(base_url=base + "/v1", max_retries=2 if case == "retry" else 0)
    content = QUESTION
    if case == "image":
        content = [{"type": "input_text", "text": QUESTION},
                   {"type": "input_image", "image_url": "data:image/png;base64," + PIXEL}]
    said = [{"role": "user", "content": content}]
    more = {"instructions": SYSTEM, "store": False}
    if case in ("tools", "thinking"):
        more["tools"] = [{"type": "function", "name": TOOL, "description": DESCRIPTION, "parameters": SCHEMA,
                          "strict": False}]
        more["include"] = ["reasoning.encrypted_content"]
    if case in ("stream", "cancel"):
        stream = client.responses.create(model="gpt-x", input=said, stream=True, **more)
        if case == "cancel":
            return first(stream)
        return "".join(e.delta for e in stream if e.type == "response.output_text.delta")
    while True:
        response = client.responses.create(model="gpt-x", input=said, **more)
        said += [item.model_dump(exclude_none=True) for item in response.output]
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            parts = [p for item in response.output if item.type == "message" for p in item.content]
            return "".join(getattr(p, "refusal", None) or p.text for p in parts)
        for call in calls:
            said.append({"type": "function_call_output", "call_id": call.call_id,
                         "output": weather(**json.loads(call.arguments))})


def anthropic(case, base):
    from anthropic import Anthropic

    client = Anthropic(base_url=base, max_retries=2 if case == "retry" else 0)
    content = QUESTION
    if case == "image":
        content = [{"type": "text", "text": QUESTION, "cache_control": {"type": "ephemeral"}},
                   {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}]
    messages = [{"role": "user", "content": content}]
    more = {"system": [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}], "max_tokens": 2000}
    if case in ("tools", "thinking"):
        more["tools"] = [{"name": TOOL, "description": DESCRIPTION, "input_schema": SCHEMA}]
    if case == "thinking":
        more["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    if case == "stream":
        with client.messages.stream(model="claude-x", messages=messages, **more) as stream:
            return "".join(stream.text_stream)
    if case == "cancel":
        return first(client.messages.create(model="claude-x", messages=messages, stream=True, **more))
    while True:
        message = client.messages.create(model="claude-x", messages=messages, **more)
        if message.stop_reason == "refusal":
            return "refused: " + "".join(b.text for b in message.content)
        messages.append({"role": "assistant", "content": [b.model_dump(exclude_none=True) for b in message.content]})
        calls = [b for b in message.content if b.type == "tool_use"]
        if not calls:
            return "".join(b.text for b in message.content if b.type == "text")
        messages.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": c.id, "content": weather(**c.input)} for c in calls]})


def genai(case, base):
    from google import genai
    from google.genai import types

    retry = types.HttpRetryOptions(attempts=3, initial_delay=0.01) if case == "retry" else None
    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=base, retry_options=retry))
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM, automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True))
    parts = [types.Part(text=QUESTION)]
    if case == "image":
        parts.append(types.Part.from_bytes(data=pixel(), mime_type="image/png"))
    contents = [types.Content(role="user", parts=parts)]
    if case in ("tools", "thinking"):
        config.tools = [types.Tool(function_declarations=[types.FunctionDeclaration(
            name=TOOL, description=DESCRIPTION, parameters_json_schema=SCHEMA)])]
    if case == "thinking":
        config.thinking_config = types.ThinkingConfig(include_thoughts=True)
    if case in ("stream", "cancel"):
        stream = client.models.generate_content_stream(model="gemini-x", contents=contents, config=config)
        if case == "cancel":
            return first(stream)
        return "".join(c.text or "" for c in stream)
    while True:
        answer = client.models.generate_content(model="gemini-x", contents=contents, config=config)
        candidate = answer.candidates[0]
        if candidate.finish_reason == types.FinishReason.SAFETY:
            return "refused: " + (answer.text or "")
        if not answer.function_calls:
            return answer.text
        contents.append(candidate.content)
        contents.append(types.Content(role="user", parts=[
            types.Part(function_response=types.FunctionResponse(
                id=c.id, name=c.name, response={"output": weather(**c.args)})) for c in answer.function_calls]))


def openai_agents(case, base):
    import agents
    from openai import AsyncOpenAI

    if case == "thinking":
        raise LeftOut("the framework is asked for no reasoning here")
    client = AsyncOpenAI(base_url=base + "/v1", max_retries=2 if case == "retry" else 0)
    model = agents.OpenAIResponsesModel(model="gpt-x", openai_client=client)
    agent = agents.Agent(name="weather", instructions=SYSTEM, model=model,
                         tools=[agents.function_tool(weather)] if case == "tools" else [])
    said = QUESTION
    if case == "image":
        said = [{"role": "user", "content": [
            {"type": "input_text", "text": QUESTION},
            {"type": "input_image", "image_url": "data:image/png;base64," + PIXEL, "detail": "auto"}]}]

    async def run():
        if case not in ("stream", "cancel"):
            return (await agents.Runner.run(agent, said)).final_output
        result = agents.Runner.run_streamed(agent, said)
        async for event in result.stream_events():
            if case == "cancel" and event.type == "raw_response_event":
                result.cancel()
                break
        if case == "cancel":
            return "left"
        return result.final_output

    return asyncio.run(run())


def pydantic_ai(case, base):
    from anthropic import AsyncAnthropic
    from pydantic_ai import Agent, BinaryContent
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    if case == "refusal":
        raise LeftOut("the framework raises what the provider's client returns")
    client = AsyncAnthropic(base_url=base, max_retries=2 if case == "retry" else 0)
    model = AnthropicModel("claude-x", provider=AnthropicProvider(anthropic_client=client))
    settings = {"anthropic_thinking": {"type": "enabled", "budget_tokens": 1024}} if case == "thinking" else None
    agent = Agent(model, instructions=SYSTEM, tools=[weather] if case in ("tools", "thinking") else [],
                  model_settings=settings)
    said = [QUESTION, BinaryContent(data=pixel(), media_type="image/png")] if case == "image" else QUESTION

    async def run():
        if case not in ("stream", "cancel"):
            return (await agent.run(said)).output
        async with agent.run_stream(said) as result:
            text = ""
            async for piece in result.stream_text(delta=True, debounce_by=None):
                if case == "cancel":
                    return "left"
                text += piece
            return text

    return asyncio.run(run())


def langgraph(case, base):
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    if case in ("thinking", "refusal"):
        raise LeftOut("the framework's chat model shows neither thoughts nor refusals of chat completions")
    model = ChatOpenAI(model="gpt-x", base_url=base + "/v1", max_retries=2 if case == "retry" else 0,
                       stream_usage=True)
    content = QUESTION
    if case == "image":
        content = [{"type": "text", "text": QUESTION},
                   {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL}}]
    messages = [("system", SYSTEM), {"role": "user", "content": content}]
    if case in ("stream", "cancel"):
        stream = model.stream(messages)
        if case == "cancel":
            return first(stream)
        return "".join(c.text for c in stream)
    graph = create_react_agent(model, [tool(weather)] if case == "tools" else [])
    return graph.invoke({"messages": messages})["messages"][-1].text


def litellm(case, base):
    import litellm as lite

    if case in ("thinking", "refusal"):
        raise LeftOut("it is asked in the form of chat completions, which has neither")
    content = QUESTION
    if case == "image":
        content = [{"type": "text", "text": QUESTION},
                   {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PIXEL}}]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]
    more = {"max_tokens": 2000, "api_base": base, "num_retries": 2 if case == "retry" else 0}
    if case == "tools":
        more["tools"] = [{"type": "function", "function": {"name": TOOL, "description": DESCRIPTION, "parameters": SCHEMA}}]
    if case in ("stream", "cancel"):
        stream = lite.completion(model="anthropic/claude-x", messages=messages, stream=True, **more)
        if case == "cancel":
            next(stream)
            stream.completion_stream.response_iterator.close() if hasattr(
                stream.completion_stream, "response_iterator") else None
            return "left"
        return "".join(c.choices[0].delta.content or "" for c in stream)
    while True:
        message = lite.completion(model="anthropic/claude-x", messages=messages, **more).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id,
                             "content": weather(**json.loads(call.function.arguments))})


CLIENTS = {f.__name__: f for f in (openai_chat, openai_responses, anthropic, genai, openai_agents, pydantic_ai,
                                   langgraph, litellm)}


def status(error):
    """The HTTP status that an error tells of, or the error."""
    while error is not None:
        for name in ("status_code", "code"):
            if isinstance(getattr(error, name, None), int):
                return getattr(error, name)
        error = error.__cause__
    return None


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a client prints is no answer
    for line in sys.stdin:
        call = json.loads(line)
        say = {"client": call["client"], "case": call["case"]}
        try:
            say["answer"] = CLIENTS[call["client"]](call["case"], call["base"])
        except LeftOut as reason:
            say["left_out"] = str(reason)
        except Exception as error:  # the driver says whether an error was wanted
            say["answer"] = f"error {status(error) or repr(error)}"
        print(json.dumps(say), file=answers, flush=True)


main()
