/** A thread: its turns, the one that is being answered, and the box below. */
import { api, ApiError, ask, join } from "./api.js";
import { Composer } from "./composer.js";
import { announce, append, button, h } from "./dom.js";
import { TurnView } from "./turn.js";
import { Welcome } from "./welcome.js";

/** @typedef {import("./types.js").Turn} Turn */

const PAGE = 30;
const MOST = 200;

export class Conversation extends HTMLElement {
  /** @param {string} thread @param {string} assistant @param {boolean} isNew */
  constructor(thread = "", assistant = "", isNew = true) {
    super();
    this.thread = thread;
    this.assistant = assistant;
    this.isNew = isNew;
    this.turns = h("div", { class: "turns" });
    this.composer = new Composer();
    this.leaving = new AbortController();
    /** @type {TurnView | null} */
    this.current = null;
  }

  connectedCallback() {
    if (this.firstChild) return;
    this.scroller = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Conversation" }, this.turns);
    append(this, [this.scroller, h("div", { class: "dock" }, this.composer)]);
    // Only turns near the window are drawn: a thread of thousands stays light.
    this.near = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting, boundingClientRect: place } of seen) if (target instanceof TurnView) isIntersecting ? target.fill() : target.empty(place.height);
    }, { root: this.scroller, rootMargin: "150%" });
    this.addEventListener("ask", (event) => void this.ask(/** @type {CustomEvent} */ (event).detail));
    this.addEventListener("answer", (event) => void this.answer(/** @type {CustomEvent} */ (event).detail));
    this.addEventListener("reuse", (event) => this.composer.write(/** @type {CustomEvent} */ (event).detail));
    this.addEventListener("halt", () => void this.halt());
    // What another tab asked here shows when this one is looked at again.
    document.addEventListener("visibilitychange", () => void this.refresh(), { signal: this.leaving.signal });
    if (this.isNew) this.welcome();
    else void this.open();
  }

  disconnectedCallback() {
    // Runs go on by themselves; only listening ends.
    this.leaving.abort();
    this.near?.disconnect();
  }

  /** @param {Turn} turn */
  view(turn) {
    const made = new TurnView(turn, this.thread);
    this.near?.observe(made);
    return made;
  }

  welcome() {
    this.turns.replaceChildren(new Welcome(this.assistant));
    this.composer.box.focus({ preventScroll: true });
  }

  /** Show the latest turns, and join an active run. */
  async open() {
    try {
      let turns = await api.turns(this.thread, PAGE);
      const named = decodeURIComponent(location.hash.slice(1)), isThere = () => turns.some((one) => one.run_id === named);
      for (let isMore = turns.length === PAGE; named && isMore && !isThere();) {
        const older = await api.turns(this.thread, MOST, turns[0].run_id);
        turns = [...older, ...turns];
        isMore = older.length === MOST;
      }
      await this.showLatest(turns);
    } catch (error) {
      if (this.leaving.signal.aborted) return;
      this.turns.replaceChildren(h("div", { class: "note-card" }, h("p", {}, error instanceof ApiError && error.status === 404 ? "There is no such conversation." : /** @type {Error} */ (error).message)));
    }
  }

  async refresh() {
    if (document.hidden || this.isNew || this.composer.isBusy) return;
    const turns = await api.turns(this.thread, PAGE).catch(() => []);
    const last = this.turns.lastElementChild;
    const known = last instanceof TurnView ? `${last.turn.run_id} ${last.turn.status}` : "";
    const latest = turns[turns.length - 1];
    if (latest && `${latest.run_id} ${latest.status}` !== known && !this.composer.isBusy) await this.showLatest(turns);
  }

  /** @param {Turn[]} turns */
  async showLatest(turns) {
    const views = turns.map((one) => this.view(one));
    this.turns.replaceChildren(...(turns.length >= PAGE ? [this.earlier(turns[0])] : []), ...views);
    // Drawn at once, so that the end does not move when it is scrolled to.
    views.slice(-4).forEach((one) => one.fill());
    const last = views[views.length - 1];
    this.focusTurn(last);
    if (!last) return;
    if (last.isRunning()) {
      last.begin();
      await this.listen(last, (hear) => join(this.thread, last.turn.run_id, 0, hear, this.leaving.signal));
    } else if (last.turn.status === "waiting") this.waitFor(last);
  }

  /** The turn that the address names, else the end. @param {TurnView | undefined} last */
  focusTurn(last) {
    const named = location.hash ? document.getElementById(`turn-${decodeURIComponent(location.hash.slice(1))}`) : null;
    if (named instanceof TurnView) {
      named.fill();
      named.classList.add("named");
      named.scrollIntoView({ block: "start" });
    } else if (last) this.toEnd();
  }

  /** A button that fetches what was said before. @param {Turn} first */
  earlier(first) {
    const made = button({ class: "plain earlier" }, "Earlier turns");
    const load = async () => {
      made.disabled = true;
      const turns = await api.turns(this.thread, PAGE, first.run_id);
      const from = this.scroller ? this.scroller.scrollHeight - this.scroller.scrollTop : 0;
      made.replaceWith(...(turns.length >= PAGE ? [this.earlier(turns[0])] : []), ...turns.map((one) => this.view(one)));
      if (this.scroller) this.scroller.scrollTop = this.scroller.scrollHeight - from;
    };
    made.addEventListener("click", () => void load());
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((one) => one.isIntersecting)) return;
      seen.disconnect();
      void load();
    }, { root: this.scroller, rootMargin: "600px" });
    requestAnimationFrame(() => requestAnimationFrame(() => seen.observe(made)));
    return made;
  }

  toEnd() {
    requestAnimationFrame(() => {
      if (this.scroller) this.scroller.scrollTop = this.scroller.scrollHeight;
    });
  }

  /** @param {string} said */
  async ask(said) {
    if (!this.composer.isBusy) await this.say(said, { assistant: this.assistant, input: said });
  }

  /** An answer to what waits, by a button. @param {any} value */
  async answer(value) {
    const view = this.turns.lastElementChild;
    if (this.composer.isBusy || !(view instanceof TurnView)) return;
    const named = { yes: "Approve", no: "Reject" }[/** @type {string} */ (value)];
    view.reply(named || (typeof value === "object" ? JSON.stringify(value) : String(value)));
    this.composer.ask(null, null);
    view.begin();
    this.toEnd();
    await this.listen(view, (hear) => ask(this.thread, { assistant: this.assistant, resume: value }, hear, this.leaving.signal));
  }

  /** @param {string} said @param {{assistant: string, input: string}} asked */
  async say(said, asked) {
    if (this.isNew) {
      this.isNew = false;
      this.turns.replaceChildren();
      history.pushState(null, "", `/t/${encodeURIComponent(this.thread)}${location.search}`);
    }
    this.composer.ask(null, null);
    const view = this.view({ run_id: "", said, started_at: new Date().toISOString(), agent: "", status: "running", answer: null, replies: [] });
    this.turns.appendChild(view);
    view.isLive = true;
    view.begin();
    this.toEnd();
    await this.listen(view, (hear) => ask(this.thread, asked, hear, this.leaving.signal));
  }

  /** @param {TurnView} view @param {(hear: (event: import("./api.js").ServerEvent) => void) => Promise<void>} run */
  async listen(view, run) {
    this.current = view;
    this.composer.busy(true);
    try {
      await run((event) => {
        view = this.viewOf(event, view);
        this.take(view, event);
      });
      view.turn.status = view.turn.answer?.status === "needs_input" ? "waiting" : "completed";
    } catch (error) {
      if (this.leaving.signal.aborted) return;
      view.error = { error_type: "unavailable", message: /** @type {Error} */ (error).message, suggestion: error instanceof ApiError ? error.suggestion : "" };
      view.turn.status = "error";
    }
    this.composer.busy(false);
    this.current = null;
    await this.settle(view);
  }

  /**
   * The turn that an event belongs to: what was typed while a question waited may have been its answer.
   * @param {import("./api.js").ServerEvent} event @param {TurnView} view @returns {TurnView}
   */
  viewOf(event, view) {
    if (event.event !== "metadata" || view.turn.run_id) return view;
    const known = document.getElementById(`turn-${event.data.run_id}`);
    if (!(known instanceof TurnView) || known === view) return view;
    known.reply(view.turn.said);
    known.begin();
    view.remove();
    return this.current = known;
  }

  /** @param {TurnView} view @param {import("./api.js").ServerEvent} event */
  take(view, event) {
    if (event.event === "metadata") {
      view.turn.run_id = event.data.run_id;
      view.name();
      document.dispatchEvent(new Event("threads"));
    }
    const near = this.isNearEnd();
    view.take(event);
    if (near) this.toEnd();
  }

  isNearEnd() {
    const place = this.scroller;
    return !place || place.scrollHeight - place.scrollTop - place.clientHeight < 160;
  }

  /** @param {TurnView} view */
  async settle(view) {
    const near = this.isNearEnd();
    view.finish();
    announce(view.turn.answer?.question ? "The agent has a question." : "The answer is ready.");
    if (view.turn.answer?.question) this.waitFor(view);
    if (near) this.scrollToAnswer(view);
    document.dispatchEvent(new Event("threads"));
  }

  /** The beginning of an answer, where it is longer than the window. @param {TurnView} view */
  scrollToAnswer(view) {
    const place = this.scroller;
    if (!place) return;
    if (view.offsetHeight > place.clientHeight - 40) view.scrollIntoView({ block: "start" });
    else this.toEnd();
  }

  /** @param {TurnView} view */
  waitFor(view) {
    this.composer.ask(view.turn.answer?.question || null, view.turn.answer?.source);
    this.toEnd();
  }

  async halt() {
    const run = this.current?.turn.run_id;
    if (!run) return;
    try {
      await api.cancel(this.thread, run);
    } catch (error) {
      // It has ended in the meantime.
      console.info(error);
    }
  }
}
customElements.define("sb-conversation", Conversation);
