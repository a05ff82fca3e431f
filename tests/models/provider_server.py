"""One HTTP server on loopback that speaks the APIs of the four providers and says what a test has written down."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_FINISH = {
    "openai": {
        "stop": "stop", "calls": "tool_calls", "length": "length", "filter": "content_filter", "refusal": "stop",
    },
    "anthropic": {
        "stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filter": "refusal", "refusal": "refusal",
    },
    "google_genai": {
        "stop": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY", "refusal": "PROHIBITED_CONTENT",
    },
    "ollama": {"stop": "stop", "calls": "stop", "length": "length", "filter": "stop", "refusal": "stop"},
}  # fmt: skip


@dataclass
class Reply:
    """What a model says: text, or calls as (name, arguments); how it ends; or a status instead of a reply."""

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    finish: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    tokens: tuple[int, int, int] = (11, 7, 3)
    """In, out, and of those in from the cache."""
    page: str = ""
    """A web page instead of a reply, as a wrong address gives it."""

    @property
    def end(self) -> str:
        return self.finish or ("calls" if self.calls else "stop")


class ProviderServer:
    """Gives the replies one after the other, the last one for ever; `bodies` has what it was sent."""

    def __init__(self) -> None:
        self.replies: list[Reply] = [Reply("ok")]
        self.bodies: list[dict[str, Any]] = []
        self.connections = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                with server._lock:
                    server.connections += 1

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                with server._lock:
                    server.bodies.append(body)
                    reply = server.replies.pop(0) if len(server.replies) > 1 else server.replies[0]
                    reply = reply(body) if callable(reply) else reply
                if reply.delay:
                    time.sleep(reply.delay)
                if reply.status != 200:
                    error = {"error": {"message": "no", "type": "x", "code": reply.status, "status": "NO"}}
                    self._send(reply.status, "application/json", [json.dumps(error)], reply.headers)
                    return
                if reply.page:
                    self._send(200, "text/html", [reply.page], reply.headers)
                    return
                provider = _provider_of(self.path)
                kind, parts = _ANSWERS[provider](reply, body, "stream" in self.path.lower() or body.get("stream"))
                self._send(200, kind, parts, reply.headers)

            def _send(self, status: int, kind: str, parts: list[str], headers: Mapping[str, str]) -> None:
                data = "".join(parts).encode()
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def say(self, *replies: Reply | str) -> None:
        """What comes next."""
        self.replies = [Reply(one) if isinstance(one, str) else one for one in replies]
        self.bodies.clear()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _provider_of(path: str) -> str:
    for part, provider in (("/chat/completions", "openai"), ("/messages", "anthropic"), ("/api/chat", "ollama")):
        if part in path:
            return provider
    return "google_genai"


def _events(datas: Sequence[Any], *, named: bool = False) -> list[str]:
    return [(f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n" for one in datas]


def _words(text: str) -> list[str]:
    return [f"{word} " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def _openai(reply: Reply, body: Any, stream: Any) -> tuple[str, list[str]]:
    calls = [
        {"index": at, "id": f"call_{id(reply)}_{at}", "type": "function",
         "function": {"name": name, "arguments": _arguments(args)}}
        for at, (name, args) in enumerate(reply.calls)
    ]  # fmt: skip
    refusal = "I cannot help with that." if reply.end == "refusal" else None
    ended, (used, made, cached) = _FINISH["openai"][reply.end], reply.tokens
    usage = {
        "prompt_tokens": used, "completion_tokens": made, "total_tokens": used + made,
        "prompt_tokens_details": {"cached_tokens": cached},
    }  # fmt: skip
    head = {"id": "c", "created": 1, "model": body["model"]}
    if not stream:
        message = {"role": "assistant", "content": None if refusal else reply.text, "refusal": refusal}
        message |= {"tool_calls": calls} if calls else {}
        choice = {"index": 0, "message": message, "finish_reason": ended}
        return "application/json", [
            json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        ]
    deltas: list[Any] = [{"role": "assistant", "content": ""}, *({"content": word} for word in _words(reply.text))]
    deltas += [{"tool_calls": [one]} for one in calls] + ([{"refusal": refusal}] if refusal else [])
    chunks = [{"choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": ended}]}, {"choices": [], "usage": usage}]
    whole = [{**head, "object": "chat.completion.chunk", **one} for one in chunks]
    return "text/event-stream", [*_events(whole), "data: [DONE]\n\n"]


def _anthropic(reply: Reply, body: Any, stream: Any) -> tuple[str, list[str]]:
    blocks: list[Any] = [{"type": "text", "text": reply.text}] if reply.text else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{id(reply)}_{at}", "name": name, "input": args}
        for at, (name, args) in enumerate(reply.calls)
    ]
    used, made, cached = reply.tokens
    usage = {"input_tokens": used - cached, "output_tokens": made, "cache_read_input_tokens": cached}
    message = {
        "id": "m", "type": "message", "role": "assistant", "model": body["model"], "content": blocks,
        "stop_reason": _FINISH["anthropic"][reply.end], "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if not stream:
        return "application/json", [json.dumps(message)]
    events: list[Any] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for at, block in enumerate(blocks):
        if block["type"] == "text":
            begun, deltas = (
                {**block, "text": ""},
                [{"type": "text_delta", "text": one} for one in _words(block["text"])],
            )
        else:
            whole = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            begun, deltas = {**block, "input": {}}, [whole]
        events.append({"type": "content_block_start", "index": at, "content_block": begun})
        events += [{"type": "content_block_delta", "index": at, "delta": one} for one in deltas]
        events.append({"type": "content_block_stop", "index": at})
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ended, "usage": usage}, {"type": "message_stop"}]
    return "text/event-stream", _events(events, named=True)


def _google(reply: Reply, body: Any, stream: Any) -> tuple[str, list[str]]:
    parts: list[Any] = [{"text": reply.text}] if reply.text else []
    parts += [{"functionCall": {"name": name, "args": args}} for name, args in reply.calls]
    used, made, cached = reply.tokens
    usage = {
        "promptTokenCount": used, "candidatesTokenCount": made, "totalTokenCount": used + made,
        "cachedContentTokenCount": cached,
    }  # fmt: skip
    content = {"role": "model", **({"parts": parts} if parts else {})}
    candidate = {"content": content, "finishReason": _FINISH["google_genai"][reply.end], "index": 0}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "some-model"}
    if not stream:
        return "application/json", [json.dumps(whole)]
    running = {"usageMetadata": {**usage, "candidatesTokenCount": 0, "totalTokenCount": used}}
    chunks = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": one}]}}], **running}
        for one in _words(reply.text)
    ]
    last = {**candidate, "content": {**content, **({"parts": parts[1:]} if reply.text else {})}}
    return "text/event-stream", _events([*chunks, {**whole, "candidates": [last]}])


def _ollama(reply: Reply, body: Any, stream: Any) -> tuple[str, list[str]]:
    head = {"model": body["model"], "created_at": "2026-11-18T00:00:00Z"}
    calls = [{"function": {"name": name, "arguments": args}} for name, args in reply.calls]
    used, made, _ = reply.tokens
    said = [{"message": {"role": "assistant", "content": one}, "done": False} for one in _words(reply.text)]
    if calls:
        said.append({"message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": False})
    end = {
        "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": _FINISH["ollama"][reply.end],
        "prompt_eval_count": used, "eval_count": made,
    }  # fmt: skip
    return "application/x-ndjson", [json.dumps({**head, **one}) + "\n" for one in (*said, end)]


_ANSWERS = {"openai": _openai, "anthropic": _anthropic, "google_genai": _google, "ollama": _ollama}
