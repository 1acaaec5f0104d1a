"""Sends the calls of a context that pact serves to another program.

    replay.py PACT CONTEXT proxy URL   as requests to a proxy for OpenAI's API, which has to forward
                                       them to http://127.0.0.1:4900, where this program answers
    replay.py PACT CONTEXT spans URL   as spans of OpenInference, one a call, over OTLP

PACT is the address of pact serve --no-token. The second needs opentelemetry-exporter-otlp-proto-http.
"""

import json
import sys
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PACT, CONTEXT = sys.argv[1].rstrip("/"), sys.argv[2]
MODEL = "gpt-4o"


def get(path, **query):
    name = urllib.parse.quote(CONTEXT, safe="")
    with urllib.request.urlopen(f"{PACT}/v1/contexts/{name}/{path}?{urllib.parse.urlencode(query)}") as answer:
        return json.load(answer)


def plain(message):
    """A message with the members that the API knows."""
    return {k: v for k, v in message.items() if k in ("role", "content", "tool_calls", "tool_call_id", "name")}


def calls():
    """For each call its request, its answer, and the tokens in, of these cached, and out."""
    rows = get("calls", unit="tokens")["items"]
    threads = [get("thread", **{"at": f"@c{row['cycle']}", "as": "openai", "whole": "true"})["messages"] for row in rows]
    for i, row in enumerate(rows):
        # What the model said last before the next call is its answer to this one.
        said = [m for m in threads[i + 1] if m["role"] == "assistant"] if i + 1 < len(rows) else []
        answer = plain(said[-1]) if said else {"role": "assistant", "content": "Done."}
        request = {"model": MODEL, "messages": [plain(m) for m in threads[i]]}
        yield request, answer, row["tokens"], row["shared"], max(1, len(json.dumps(answer)) // 4)


def through_proxy(url):
    waiting = []

    class Provider(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps(waiting.pop()).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    threading.Thread(target=ThreadingHTTPServer(("127.0.0.1", 4900), Provider).serve_forever, daemon=True).start()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
    for n, (request, answer, sent, cached, out) in enumerate(calls(), 1):
        reason = "tool_calls" if answer.get("tool_calls") else "stop"
        usage = {"prompt_tokens": sent, "completion_tokens": out, "total_tokens": sent + out,
                 "prompt_tokens_details": {"cached_tokens": cached}}
        waiting.append({"id": f"chatcmpl-{n}", "object": "chat.completion", "created": int(time.time()), "model": MODEL,
                        "choices": [{"index": 0, "message": answer, "finish_reason": reason}], "usage": usage})
        body = json.dumps(request).encode()
        urllib.request.urlopen(urllib.request.Request(url.rstrip("/") + "/v1/chat/completions", body, headers)).read()
        time.sleep(0.4)  # a proxy may store requests that come at once in another order


def attributes_of(prefix, message):
    """A message as OpenInference writes it."""
    at = {f"{prefix}.message.role": message["role"]}
    content = message.get("content") or ""
    for i, part in enumerate(content if isinstance(content, list) else []):
        at[f"{prefix}.message.contents.{i}.message_content.type"] = "text"
        at[f"{prefix}.message.contents.{i}.message_content.text"] = part.get("text", "")
    if isinstance(content, str):
        at[f"{prefix}.message.content"] = content
    if "tool_call_id" in message:
        at[f"{prefix}.message.tool_call_id"] = message["tool_call_id"]
    for i, call in enumerate(message.get("tool_calls") or []):
        at[f"{prefix}.message.tool_calls.{i}.tool_call.id"] = call["id"]
        for member in ("name", "arguments"):
            at[f"{prefix}.message.tool_calls.{i}.tool_call.function.{member}"] = call["function"][member]
    return at


def as_spans(url):
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider = TracerProvider(resource=Resource({"openinference.project.name": CONTEXT}))
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(url.rstrip("/") + "/v1/traces")))
    tracer = provider.get_tracer("replay")
    with tracer.start_as_current_span("agent", attributes={"openinference.span.kind": "AGENT", "session.id": CONTEXT}):
        for n, (request, answer, sent, cached, out) in enumerate(calls(), 1):
            at = {"openinference.span.kind": "LLM", "session.id": CONTEXT, "llm.model_name": MODEL,
                  "llm.token_count.prompt": sent, "llm.token_count.completion": out, "llm.token_count.total": sent + out,
                  "llm.token_count.prompt_details.cache_read": cached,
                  "input.value": json.dumps(request), "input.mime_type": "application/json",
                  "output.value": json.dumps(answer), "output.mime_type": "application/json"}
            for i, message in enumerate(request["messages"]):
                at |= attributes_of(f"llm.input_messages.{i}", message)
            at |= attributes_of("llm.output_messages.0", answer)
            with tracer.start_as_current_span(f"call {n}", attributes=at):
                pass
    provider.shutdown()


{"proxy": through_proxy, "spans": as_spans}[sys.argv[3]](sys.argv[4])
