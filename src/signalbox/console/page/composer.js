/** The question box, and the questions of agents that take its place. */
import { append, button, h, icon } from "./dom.js";
import { inline } from "./markdown.js";

/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Source} Source */

const LONGEST = 10_000;

export class Composer extends HTMLElement {
  constructor() {
    super();
    this.box = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "question", rows: 1, maxlength: LONGEST, placeholder: "Ask a question …", "aria-label": "Your question" }));
    this.send = button({ class: "primary round", "aria-label": "Ask", title: "Ask (Enter)", onclick: () => this.submit() }, icon("send"));
    this.stop = button({ class: "round stop", "aria-label": "Stop", title: "Stop (Esc)", hidden: true, onclick: () => this.emit("halt") }, icon("stop"));
    this.panel = h("div", { class: "panel" });
    this.form = h("div", { class: "ask-row" }, this.box, this.send, this.stop);
    /** @type {Question | null} */
    this.question = null;
    this.isBusy = false;
  }

  connectedCallback() {
    if (this.firstChild) return;
    append(this, [this.panel, this.form]);
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.submit();
    });
    this.box.addEventListener("input", () => this.fit());
  }

  /** @param {string} name @param {any} [detail] */
  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }

  /** Grow with the text, up to a third of the window. */
  fit() {
    this.box.style.setProperty("height", "auto");
    this.box.style.setProperty("height", `${Math.min(this.box.scrollHeight + 2, innerHeight / 3)}px`);
  }

  /** @param {string} text */
  write(text) {
    this.hideQuestion();
    this.box.value = text;
    this.fit();
    this.box.focus();
    this.box.setSelectionRange(text.length, text.length);
  }

  submit() {
    const said = this.box.value.trim();
    if (!said || this.isBusy) return;
    this.box.value = "";
    this.fit();
    this.emit("ask", said);
  }

  /** @param {boolean} isBusy */
  busy(isBusy) {
    this.isBusy = isBusy;
    this.send.hidden = isBusy;
    this.stop.hidden = !isBusy;
    this.classList.toggle("busy", isBusy);
  }

  /**
   * Show an agent's question in place of the box.
   * @param {Question | null} question @param {Source | null | undefined} source
   */
  ask(question, source) {
    this.question = question;
    this.panel.replaceChildren();
    this.classList.remove("confirming");
    this.form.hidden = false;
    this.box.placeholder = "Ask a question …";
    if (!question) return;
    if (question.kind === "confirm") this.confirm(question, question.source || source);
    else this.clarify(question);
  }

  /** @param {Question} question @param {Source | null | undefined} source */
  confirm(question, source) {
    this.classList.add("confirming");
    this.form.hidden = true;
    const what = asked(question.summary || question.message || "Go on?").replace(/[?.]$/, "");
    const options = question.options?.length ? question.options : ["yes", "no"];
    const approve = button({ class: "primary", onclick: () => this.emit("answer", options[0]) }, "Approve", h("kbd", {}, "A"));
    const reject = button({ class: "reject", onclick: () => this.emit("answer", options[1]) }, "Reject", h("kbd", {}, "R"));
    const other = button({ class: "plain", onclick: () => this.hideQuestion() }, "Say something else");
    const made = h("div", { class: "confirm", role: "group", "aria-labelledby": "confirm-what", tabindex: -1 },
      h("p", { id: "confirm-what" }, inline(what), question.on ? h("span", {}, " on ", h("b", {}, question.on)) : server(source), "?"),
      h("div", { class: "buttons" }, approve, reject, other, options.length > 2 ? options.slice(2).map((one) => this.option(one)) : null));
    made.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.key.toLowerCase() === "a") approve.click();
      if (event.key.toLowerCase() === "r") reject.click();
    });
    this.panel.replaceChildren(made);
    // The keys work at once; a stray Enter approves nothing, because no button has the focus.
    made.focus({ preventScroll: true });
  }

  /** @param {Question} question */
  clarify(question) {
    this.box.placeholder = "Your answer …";
    const options = (question.options || []).slice(0, 12).map((one) => this.option(one));
    if (options.length) this.panel.replaceChildren(h("div", { class: "buttons", role: "group", "aria-label": "Answers" }, options));
    this.box.focus({ preventScroll: true });
  }

  /** @param {any} one */
  option(one) {
    return button({ class: "option", onclick: () => this.emit("answer", one) }, typeof one === "object" ? one.label || one.name || JSON.stringify(one) : String(one));
  }

  /** Bring back the box, for something other than an answer. */
  hideQuestion() {
    if (!this.form.hidden) return;
    this.form.hidden = false;
    this.box.placeholder = "Ask something else, or answer yes or no …";
    this.box.focus();
  }
}
customElements.define("sb-composer", Composer);

/** The question in a longer text, otherwise its first sentence. @param {string} text */
function asked(text) {
  const line = text.split("\n").find((one) => one.trim()) || text;
  return (line.match(/^.+?[?](?=\s|$)/) || line.match(/^.+?[.!](?=\s|$)/))?.[0] || line;
}

/** The server on which it will be done. @param {Source | null | undefined} source */
function server(source) {
  if (!source || !source.system) return null;
  const isLive = source.kind === "live";
  // The person's own things are on no server.
  if (isLive && !source.address) return null;
  const place = isLive ? [source.system, source.address].filter(Boolean).join(" at ") : `${source.system} (demonstration)`;
  return h("span", { class: "where" }, " on ", h("b", { class: isLive ? "live-name" : "" }, place));
}
