/** The steps of a turn: what the agent is doing, in words, with the details of each call on demand. */
import { append, h, icon } from "./dom.js";
import { duration, readable } from "./format.js";

/** @typedef {import("./types.js").StepEvent} StepEvent */
/** @typedef {{key: string, words: string, isCall: boolean, event: StepEvent, state: "running" | "ok" | "failed",
 *            times: number}} Step */

const MOST_OPEN = 200;
const MOST_SHOWN = 6;

export class Steps extends HTMLElement {
  constructor() {
    super();
    /** @type {Map<string, Step>} */
    this.steps = new Map();
    /** @type {Map<string, {row: HTMLElement, drawn: string}>} */
    this.rows = new Map();
    this.list = h("ol", { class: "steps-list" });
    this.more = h("p", { class: "quiet steps-more", hidden: true });
    this.count = 0;
  }

  connectedCallback() {
    if (!this.firstChild) append(this, [this.more, this.list]);
  }

  /** What nodes and calls are at work. @returns {Set<string>} */
  get atWork() {
    return new Set([...this.steps.values()].filter((one) => !one.isCall && one.state === "running").map((one) => String(one.event.node)));
  }

  /** Take an event. @param {StepEvent} event */
  take(event) {
    if (event.type === "node") this.takeNode(event);
    else if (event.type === "tool_call" || event.type === "tool_result") this.takeCall(event);
    else return;
    this.draw();
  }

  /** @param {StepEvent} event */
  takeNode(event) {
    if (!event.words) return;
    const open = [...this.steps.values()].find((one) => !one.isCall && one.state === "running" && one.event.node === event.node);
    // A node that runs several times side by side is one step, until the last of them has ended.
    if (event.kind === "start" && open) open.times++;
    else if (event.kind === "start") this.put(`${event.node}#${++this.count}`, event.words, false, event, "running");
    else if (open && --open.times === 0) open.state = event.success ? "ok" : "failed";
  }

  /** @param {StepEvent} event */
  takeCall(event) {
    const key = `call ${event.agent || ""} ${event.id} ${event.tool}`;
    const state = event.type === "tool_call" ? "running" : event.ok ? "ok" : "failed";
    this.put(key, event.words || String(event.tool), true, event, state);
  }

  /** @param {string} key @param {string} words @param {boolean} isCall @param {StepEvent} event @param {Step["state"]} state */
  put(key, words, isCall, event, state) {
    const known = this.steps.get(key);
    if (known) Object.assign(known, { event: { ...known.event, ...event }, state });
    else this.steps.set(key, { key, words, isCall, event, state, times: 1 });
  }

  /** Everything that was begun has ended. */
  settle() {
    for (const one of this.steps.values()) if (one.state === "running") one.state = "ok";
    this.draw();
  }

  draw() {
    const live = this.hasAttribute("live");
    const all = [...this.steps.values()];
    const shown = live ? all.slice(-MOST_SHOWN) : all.slice(0, MOST_OPEN);
    const hidden = all.length - shown.length;
    this.more.hidden = !hidden;
    this.more.textContent = live ? `${hidden} earlier ${hidden === 1 ? "step" : "steps"}` : `… and ${hidden} more`;
    const wanted = shown.map((one) => this.row(one));
    for (const node of [...this.list.children]) if (!wanted.includes(/** @type {HTMLElement} */ (node))) node.remove();
    wanted.forEach((row, place) => {
      if (this.list.children[place] !== row) this.list.insertBefore(row, this.list.children[place] || null);
    });
  }

  /** @param {Step} step @returns {HTMLElement} */
  row(step) {
    const drawn = `${step.state}`;
    const known = this.rows.get(step.key);
    if (known && known.drawn === drawn) return known.row;
    const row = known ? known.row : h("li");
    row.className = `step ${step.state}${step.isCall ? " call" : ""}`;
    row.replaceChildren(stateMark(step.state), step.isCall ? callDetails(step) : h("span", { class: "words" }, step.words));
    this.rows.set(step.key, { row, drawn });
    return row;
  }
}
customElements.define("sb-steps", Steps);

/** @param {Step["state"]} state */
function stateMark(state) {
  if (state === "running") return h("span", { class: "spinner", role: "img", "aria-label": "running" });
  const made = h("span", { class: `state ${state}`, role: "img", "aria-label": state === "ok" ? "done" : "failed" });
  made.appendChild(icon(state === "ok" ? "check" : "close"));
  return made;
}

/** @param {Step} step */
function callDetails(step) {
  if (step.state === "running") return h("span", { class: "words" }, step.words);
  const event = step.event;
  const made = h("details", {},
    h("summary", {}, h("span", { class: "words" }, step.words), h("span", { class: "quiet" }, event.ms ? duration(event.ms / 1000) : "")));
  made.addEventListener("toggle", () => {
    if (made.childElementCount === 1) made.appendChild(exchange(event));
  });
  return made;
}

/**
 * What a call was given and what it gave back.
 * @param {{id?: string, tool?: string, args?: any, ok?: boolean, summary?: string, result?: string}} call
 * @returns {HTMLElement}
 */
export function exchange(call) {
  const asked = call.args && Object.keys(call.args).length ? readable(call.args) : "nothing";
  const result = [call.summary, pretty(call.result)].filter(Boolean).join("\n");
  return h("div", { class: "exchange" },
    h("p", { class: "quiet" }, `${call.tool}${call.id ? ` · ${call.id}` : ""}`),
    h("h5", {}, "Asked"), h("pre", { tabindex: 0 }, asked),
    h("h5", {}, call.ok === false ? "Failed" : "Got"), h("pre", { tabindex: 0 }, result || "nothing"));
}

/** @param {string} [text] */
function pretty(text) {
  if (!text) return "";
  try {
    return readable(JSON.parse(text));
  } catch {
    // The text was cut off: show at least one line per field.
    return text.replace(/, (?=["{])/g, ",\n");
  }
}
