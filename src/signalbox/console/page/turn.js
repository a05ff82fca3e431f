/** A turn: what was said, the steps as they happen, and the answer with its evidence. */
import { api, join } from "./api.js";
import { answerBody } from "./blocks.js";
import { append, button, copy, h, icon, mark, shownName } from "./dom.js";
import { day, duration, moment } from "./format.js";
import { inline, markdown } from "./markdown.js";
import { exchange, Steps } from "./steps.js";

/**
 * @typedef {import("./types.js").Turn} Turn
 * @typedef {import("./types.js").Answer} Answer
 * @typedef {import("./api.js").ServerEvent} ServerEvent
 */

/** Errors that only tell the person something; nothing is broken. */
const CALM = /request|not_found|missing_input|time_range|invalid_query|unsupported|ambiguous|clarif|denied|cancel|no_data|empty/;

export class TurnView extends HTMLElement {
  /** @param {Turn} turn @param {string} thread */
  constructor(turn, thread) {
    super();
    this.turn = turn;
    this.thread = thread;
    this.steps = new Steps();
    this.draft = "";
    this.message = "";
    this.error = /** @type {import("./types.js").Failure | null} */ (null);
    /** @type {Promise<(import("./types.js").Call & {result?: string})[]> | undefined} */
    this.fetched = undefined;
    this.isLive = false;
    this.hasSteps = false;
    this.isFilled = false;
    this.body = h("div", { class: "answer-body" });
    this.talk = h("div", { class: "talk" });
    this.live = h("div", { class: "live" });
  }

  connectedCallback() {
    this.name();
    if (!this.firstChild) this.empty();
  }

  /** Draw the turn, as it comes near the window. */
  fill() {
    if (this.isFilled) return;
    this.isFilled = true;
    this.classList.remove("far");
    this.talk.replaceChildren();
    this.replaceChildren(this.question(), this.talk, this.live, this.body);
    for (const one of this.turn.replies) this.exchanged(one.question, one.reply);
    if (!this.isLive) this.show();
  }

  /** Far from the window only the question is kept, unless the person has something open here. @param {number} [height] */
  empty(height) {
    if (this.isLive || this.matches(":focus-within") || this.querySelector("details[open], .beside, .map")) return;
    if (this.isFilled && height) this.style.setProperty("--height", `${height}px`);
    this.isFilled = false;
    this.classList.add("far");
    this.body.replaceChildren();
    this.replaceChildren(h("h2", { class: "said" }, this.turn.said));
  }

  /** The address of the turn within its thread. */
  name() {
    if (this.turn.run_id) this.id = `turn-${this.turn.run_id}`;
  }

  /** A question of the agent, and what the person answered. @param {string} question @param {string} reply */
  exchanged(question, reply) {
    append(this.talk, [h("details", { class: "folds was-asked" }, h("summary", {}, question.split("\n")[0].replace(/[*`\\]/g, "")), h("div", { class: "text" }, markdown(question))),
      h("p", { class: "said reply" }, reply)]);
  }

  /** The person answers what this turn waits for. @param {string} reply */
  reply(reply) {
    const question = this.turn.answer?.question?.message || "";
    this.turn.replies.push({ question, reply });
    this.exchanged(question, reply);
    this.turn.answer = null;
    this.body.replaceChildren();
  }

  /** What was said, with what can be done with it. */
  question() {
    const { said, started_at: at } = this.turn;
    const pressed = button({ class: "plain", "aria-label": "Copy the question", title: "Copy" }, icon("copy"));
    pressed.addEventListener("click", () => void copy(pressed, said));
    const edit = button({ class: "plain", "aria-label": "Edit and ask again", title: "Edit and ask again", onclick: () => this.emit("reuse", said) }, icon("edit"));
    const linked = button({ class: "plain", "aria-label": "Copy the link to this turn", title: "Copy link" }, icon("link"));
    linked.addEventListener("click", () => void copy(linked, `${location.origin}/t/${encodeURIComponent(this.thread)}#${this.turn.run_id}`));
    return h("div", { class: "asked" },
      h("h2", { class: "said" }, said),
      h("div", { class: "tools" }, h("time", { datetime: at, title: moment(at), class: "quiet" }, day(at)), pressed, edit, linked));
  }

  /** @param {string} name @param {any} detail */
  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }

  /** Start showing events as they happen. */
  begin() {
    this.fill();
    this.isLive = this.hasSteps = true;
    this.steps.setAttribute("live", "");
    this.status = h("p", { class: "status quiet", role: "status" }, "Working on it …");
    this.live.replaceChildren(this.status, this.steps, h("div", { class: "draft text" }));
  }

  /** @param {ServerEvent} event */
  take(event) {
    const { data } = event;
    if (event.event === "broken") this.say("Connection lost. Reconnecting …");
    else if (event.event === "custom") this.takeStep(data);
    else if (event.event === "messages") this.takeText(data[0], data[1]);
    else if (event.event === "values") this.turn.answer = data;
    else if (event.event === "error") this.error = { error_type: data.error, message: data.message };
  }

  /** @param {import("./types.js").StepEvent} data */
  takeStep(data) {
    if (data.agent) this.turn.agent = data.agent;
    this.steps.take(data);
    if (this.isLive && data.words && (data.kind === "start" || data.type === "tool_call")) this.say(`${data.words} …`);
  }

  /** @param {string} text */
  say(text) {
    if (this.status) this.status.textContent = text;
  }

  /** Text that is being written: another message begins anew, as the one before was not the answer. */
  takeText(/** @type {any} */ piece, /** @type {any} */ about) {
    if (piece.id !== this.message && about?.langgraph_node) this.draft = "";
    this.message = piece.id;
    this.draft += piece.content;
    const place = this.live.querySelector(".draft");
    if (!place || this.drawing) return;
    // At most one update per frame, however fast the pieces arrive.
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      place.replaceChildren(markdown(this.draft));
    });
  }

  /** The run has ended or asks something. */
  finish() {
    this.isLive = false;
    this.steps.removeAttribute("live");
    this.steps.settle();
    this.show();
  }

  show() {
    const answer = this.turn.answer;
    this.live.replaceChildren();
    this.body.replaceChildren();
    append(this.body, [this.header(), answer ? this.answer(answer) : this.nothing()]);
  }

  header() {
    const name = this.turn.answer?.agent || this.turn.agent;
    return h("div", { class: "who" }, mark(name), h("span", {}, shownName(name)), this.folded());
  }

  /** The steps, folded; those of an earlier turn are fetched when they are opened. */
  folded() {
    const calls = this.turn.answer?.evidence?.length || 0, total = this.turn.answer?.timings_ms?.total;
    const count = this.hasSteps ? this.steps.steps.size : calls;
    if (!count && !this.turn.run_id) return null;
    const told = [calls ? `${calls} ${calls === 1 ? "call" : "calls"}` : "steps", total ? duration(total / 1000) : ""].filter(Boolean).join(", ");
    const made = h("details", { class: "folded-steps" }, h("summary", {}, told), this.steps);
    made.addEventListener("toggle", () => void this.loadSteps());
    return made;
  }

  async loadSteps() {
    if (this.hasSteps || !this.turn.run_id) return;
    this.hasSteps = true;
    try {
      await join(this.thread, this.turn.run_id, 0, (event) => event.event === "custom" && this.steps.take(event.data), new AbortController().signal);
    } catch {
      this.hasSteps = false;
    }
    this.steps.settle();
  }

  /** Nothing came, or not yet. */
  nothing() {
    if (this.error && !CALM.test(this.error.error_type || "")) return failure(this.error);
    return h("p", { class: "quiet" }, this.isRunning() ? "Working on it …" : "Stopped before there was an answer.");
  }

  isRunning() {
    return ["pending", "running", "interrupted"].includes(this.turn.status);
  }

  /** @param {Answer} answer */
  answer(answer) {
    const made = h("article", { class: "answer", "aria-label": "Answer" });
    const cite = (/** @type {string} */ id) => this.cite(answer, id);
    append(made, [
      answer.error ? failure(answer.error) : null,
      answerBody(answer, cite),
      this.asks(answer, cite), notes(answer), this.evidence(answer), this.actions(answer),
    ]);
    return made;
  }

  /** The question asked in this turn; while it is open, the box below asks it too. @param {Answer} answer @param {(id: string) => Node | null} cite */
  asks(answer, cite) {
    const question = answer.question;
    if (!question?.message || answer.error) return null;
    return h("div", { class: "asks" }, markdown(question.message, cite));
  }

  /** A citation: opens the evidence beside its sentence. @param {Answer} answer @param {string} id */
  cite(answer, id) {
    const call = (answer.evidence || []).find((one) => one.id === id);
    if (!call) return null;
    const pressed = button({ class: "cite", "aria-expanded": "false", title: this.wordsOf(call) }, id);
    pressed.addEventListener("click", () => void this.openEvidence(pressed, call));
    return pressed;
  }

  /** @param {import("./types.js").Call} call */
  wordsOf(call) {
    return call.words || call.tool;
  }

  /** @param {HTMLElement} pressed @param {import("./types.js").Call} call */
  async openEvidence(pressed, call) {
    const sentence = pressed.closest("li, p, td, .verdict") || pressed;
    const open = sentence.querySelector(":scope > .beside");
    const wasOwn = open?.getAttribute("data-call") === call.id;
    open?.remove();
    for (const one of sentence.querySelectorAll(".cite")) one.setAttribute("aria-expanded", "false");
    if (wasOwn) return;
    pressed.setAttribute("aria-expanded", "true");
    const place = h("div", { class: "beside", "data-call": call.id }, h("p", {}, h("strong", {}, this.wordsOf(call))), exchange(call));
    sentence.appendChild(place);
    const calls = await this.calls();
    const found = calls.find((one) => one.id === call.id);
    if (found) place.replaceChildren(h("p", {}, h("strong", {}, this.wordsOf(found))), exchange(found));
  }

  /** The calls with what came back, fetched once. @returns {Promise<(import("./types.js").Call & {result?: string})[]>} */
  calls() {
    this.fetched ??= api.evidence(this.thread, this.turn.run_id).catch(() => []);
    return this.fetched;
  }

  /** Every call that was made for the answer. @param {Answer} answer */
  evidence(answer) {
    const calls = answer.evidence || [];
    if (!calls.length) return null;
    const made = h("details", { class: "folds evidence" }, h("summary", {}, "Evidence", h("span", { class: "quiet" }, ` ${calls.length}`)));
    made.addEventListener("toggle", async () => {
      const told = await this.calls();
      if (made.childElementCount > 1) return;
      made.appendChild(h("ul", {}, calls.map((call) => this.evidenceItem(told.find((one) => one.id === call.id) || call))));
    });
    return made;
  }

  /** @param {import("./types.js").Call} call */
  evidenceItem(call) {
    const one = h("details", {}, h("summary", {}, h("b", {}, call.id), ` ${this.wordsOf(call)}`, h("span", { class: call.ok ? "quiet" : "failed" }, ` ${call.summary || ""}`)));
    one.addEventListener("toggle", () => one.childElementCount === 1 && one.appendChild(exchange(call)));
    return h("li", {}, one);
  }

  /** @param {Answer} answer */
  actions(answer) {
    const pressed = button({ class: "plain", "aria-label": "Copy the answer", title: "Copy" }, icon("copy"));
    pressed.addEventListener("click", () => void copy(pressed, answer.answer || ""));
    const agent = answer.agent || this.turn.agent;
    const map = button({ class: "plain", "aria-label": "Map of the agent", title: "Map of the agent", "aria-expanded": "false" }, icon("map"));
    const made = h("div", { class: "tools actions" }, pressed, this.turn.run_id ? [this.vote("up", "Good answer"), this.vote("down", "Bad answer")] : null, agent ? map : null);
    map.addEventListener("click", () => void this.toggleMap(map, made, agent));
    return made;
  }

  /** @param {HTMLElement} pressed @param {HTMLElement} after @param {string} agent */
  async toggleMap(pressed, after, agent) {
    const open = this.querySelector(".map");
    pressed.setAttribute("aria-expanded", String(!open));
    if (open) open.remove();
    else after.after(await (await import("./map.js")).agentMap(agent, this.steps.atWork));
  }

  /** @param {"up" | "down"} score @param {string} label */
  vote(score, label) {
    const pressed = button({ class: `plain vote ${score}`, "aria-label": label, title: label, "aria-pressed": String(this.turn.feedback?.value === score) }, icon(score));
    pressed.addEventListener("click", async () => {
      const given = this.turn.feedback?.value === score ? null : score;
      await api.feedback(this.thread, this.turn.run_id, given);
      this.turn.feedback = given ? { value: given } : null;
      for (const one of this.querySelectorAll(".vote")) one.setAttribute("aria-pressed", String(given !== null && one.classList.contains(given)));
    });
    return pressed;
  }
}
customElements.define("sb-turn", TurnView);

/** An error; shown without alarm if nothing is broken. @param {import("./types.js").Failure} error */
function failure(error) {
  const calm = CALM.test(error.error_type || "");
  return h("div", calm ? { class: "note-card" } : { class: "failure", role: "alert" },
    h("p", {}, inline(error.message || "Something went wrong.")), error.suggestion ? h("div", { class: "text quiet" }, markdown(error.suggestion)) : null);
}

/** What the answer leaves out, and its source. @param {Answer} answer */
function notes(answer) {
  const left = answer.not_covered || [];
  return h("div", { class: "notes" }, left.length ? h("p", { class: "left-out" }, `Not considered: ${left.join("; ")}`) : null, source(answer.source));
}

/** Where an answer comes from: a live system, or the demonstration. @param {import("./types.js").Source | null | undefined} given */
export function source(given) {
  if (!given || !given.kind) return null;
  const parts = given.parts?.length ? given.parts : [given];
  const named = parts.map((one) => [one.system, one.kind === "live" ? one.address : ""].filter(Boolean).join(" at ")).join("; ");
  const isLive = given.kind === "live";
  return h("p", { class: "source" }, h("span", { class: isLive ? "chip live-chip" : "chip demo" }, isLive ? "live" : "demonstration"), ` ${named}`,
    !isLive && given.connect ? h("span", { class: "quiet" }, ` · invented data; set ${given.connect} to connect your own`) : null);
}
