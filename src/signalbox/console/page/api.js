/** The service's public API, used as by any other client. */

/**
 * @typedef {import("./types.js").Thread} Thread
 * @typedef {import("./types.js").Turn} Turn
 * @typedef {{id: string, event: string, data: any}} ServerEvent
 * @typedef {(event: ServerEvent) => void} Listener
 */

export class ApiError extends Error {
  /** @param {number} status @param {string} message @param {string} suggestion */
  constructor(status, message, suggestion) {
    super(message);
    this.status = status;
    this.suggestion = suggestion;
  }
}

const MODES = ["custom", "messages-tuple", "values"];
const SHOWN = ["thread_id", "title", "agent", "status", "created_at", "updated_at"];
const JSON_TYPE = { "Content-Type": "application/json" };

/** @param {string} path @param {RequestInit} [options] @returns {Promise<Response>} */
async function send(path, options = {}) {
  /** @type {Response} */
  let sent;
  try {
    sent = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, "The service cannot be reached.", "Check that it is running. The page will reconnect by itself.");
  }
  if (sent.ok) return sent;
  if (sent.status === 401) location.reload();
  const told = await sent.json().catch(() => ({}));
  throw new ApiError(sent.status, told.detail || told.message || `The service answered ${sent.status}.`, told.suggestion || "");
}

/** @param {string} method @param {string} path @param {any} [body] */
async function call(method, path, body) {
  const sent = await send(path, { method, ...(body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) }) });
  return sent.status === 204 ? null : sent.json();
}

const at = (/** @type {string} */ thread) => `/threads/${encodeURIComponent(thread)}`;

export const api = {
  /** @returns {Promise<{user_id: string, name: string}>} */
  me: () => call("GET", "/api/me"),
  /** @returns {Promise<import("./types.js").Connections>} */
  connections: () => call("GET", "/api/connections"),
  /** @returns {Promise<import("./types.js").Agent[]>} */
  agents: () => call("GET", "/api/agents?suggest=false"),
  /** @param {string} name @returns {Promise<import("./types.js").Agent>} */
  agent: (name) => call("GET", `/api/agents/${encodeURIComponent(name)}`),
  /** @param {string} name */
  assistant: (name) => call("GET", `/assistants/${encodeURIComponent(name)}`),
  /** @param {string} name @returns {Promise<{nodes: any[], edges: any[]}>} */
  graph: (name) => call("GET", `/assistants/${encodeURIComponent(name)}/graph`),
  /** @param {string} query @param {number} limit @returns {Promise<Thread[]>} */
  threads: (query, limit) => call("POST", "/threads/search", { limit, select: SHOWN, ...(query ? { text: query } : {}) }),
  /** @param {string} thread @returns {Promise<Thread>} */
  thread: (thread) => call("GET", at(thread)),
  /** @param {string} thread @param {string} title @returns {Promise<Thread>} */
  rename: (thread, title) => call("PATCH", at(thread), { title }),
  /** @param {string} thread */
  remove: (thread) => call("DELETE", at(thread)),
  /** @param {string} thread @param {number} limit @param {string} [before] @returns {Promise<Turn[]>} */
  turns: (thread, limit, before) => call("GET", `${at(thread)}/turns?limit=${limit}&state=false${before ? `&before=${encodeURIComponent(before)}` : ""}`),
  /** @param {string} thread @param {string} run */
  cancel: (thread, run) => call("POST", `${at(thread)}/runs/${run}/cancel`),
  /** @param {string} thread @param {string} run @returns {Promise<(import("./types.js").Call & {result?: string})[]>} */
  evidence: (thread, run) => call("GET", `${at(thread)}/runs/${run}/evidence`),
  /** @param {string} thread @param {string} run @param {string | null} value */
  feedback: (thread, run, value) => call(value ? "PUT" : "DELETE", `${at(thread)}/runs/${run}/feedback`, value ? { value } : undefined),
  signOut: () => fetch("/sign-in", { method: "DELETE" }),
};

/**
 * Ask an assistant, or answer its question, and listen until the run ends or asks something.
 * @param {string} thread @param {{assistant: string, input?: string, resume?: any}} asked
 * @param {Listener} listener @param {AbortSignal} signal
 */
export async function ask(thread, asked, listener, signal) {
  const given = asked.resume === undefined ? { input: asked.input } : { command: { resume: asked.resume } };
  const body = { assistant_id: asked.assistant, ...given, stream_mode: MODES, if_not_exists: "create" };
  const options = { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body), signal };
  const sent = await send(`${at(thread)}/runs/stream`, options);
  await follow(sent, sent.headers.get("Location") || "", "", listener, signal);
}

/**
 * Join a run: receive its events after a given one, and all that follow.
 * @param {string} thread @param {string} run @param {number} after @param {Listener} listener @param {AbortSignal} signal
 */
export async function join(thread, run, after, listener, signal) {
  const place = `${at(thread)}/runs/${run}/stream`;
  const last = after ? String(after) : "";
  await follow(await open(place, last, signal), place, last, listener, signal);
}

/** @param {string} place @param {string} last @param {AbortSignal} signal */
function open(place, last, signal) {
  const modes = MODES.map((mode) => `stream_mode=${mode}`).join("&");
  return send(`${place}?${modes}`, { signal, headers: last ? { "Last-Event-ID": last } : {} });
}

/**
 * Read a stream to its end. If it breaks, it is opened again after the last event received.
 * @param {Response} sent @param {string} place @param {string} last @param {Listener} listener @param {AbortSignal} signal
 */
async function follow(sent, place, last, listener, signal) {
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    try {
      for await (const event of events(sent)) {
        if (event.id) last = event.id;
        listener(event);
        pause = 500;
        if (event.event === "end") return;
      }
    } catch (error) {
      if (signal.aborted) throw error;
    }
    sent = await reopen(place, last, pause, listener, signal);
  }
}

/** @param {string} place @param {string} last @param {number} pause @param {Listener} listener @param {AbortSignal} signal */
async function reopen(place, last, pause, listener, signal) {
  for (let wait = pause; ; wait = Math.min(wait * 2, 8000)) {
    listener({ id: "", event: "broken", data: null });
    await new Promise((resolve) => setTimeout(resolve, wait));
    signal.throwIfAborted();
    try {
      return await open(place, last, signal);
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.status >= 400 && error.status < 500)) throw error;
    }
  }
}

/** @param {Response} sent @returns {AsyncGenerator<ServerEvent>} */
async function* events(sent) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (sent.body).getReader(), decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const parts = rest.split("\n\n");
      rest = parts.pop() || "";
      for (const part of parts) {
        const event = parsed(part);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** @param {string} part @returns {ServerEvent | null} */
function parsed(part) {
  const event = { id: "", event: "", data: "" };
  for (const line of part.split("\n")) {
    const [, name, value] = line.match(/^(id|event|data): ?(.*)$/s) || [];
    if (name === "data") event.data += value;
    else if (name === "id" || name === "event") event[name] = value;
  }
  return event.event ? { ...event, data: event.data ? JSON.parse(event.data) : null } : null;
}
