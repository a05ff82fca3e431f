/** The threads of a person: found, opened, renamed, deleted. */
import { api } from "./api.js";
import { append, button, h, icon, mark } from "./dom.js";
import { day } from "./format.js";

/** @typedef {import("./types.js").Thread} Thread */

const PAGE = 50;

export class Threads extends HTMLElement {
  constructor() {
    super();
    this.search = /** @type {HTMLInputElement} */ (h("input", { type: "search", placeholder: "Search", "aria-label": "Search conversations" }));
    this.list = h("ul", { class: "threads" });
    this.told = h("p", { class: "quiet", role: "status" });
    this.limit = PAGE;
    this.chosen = "";
    this.asked = 0;
    this.reload = () => void this.load();
  }

  connectedCallback() {
    if (!this.firstChild) append(this, [h("div", { class: "search" }, icon("search"), this.search), h("nav", { "aria-label": "Conversations" }, this.list), this.told]);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let typing;
    this.search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(this.reload, 200);
    });
    document.addEventListener("threads", this.reload);
    // Show what other tabs did when this one becomes visible again.
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.reload(); });
    this.reload();
  }

  disconnectedCallback() {
    document.removeEventListener("threads", this.reload);
  }

  async load() {
    const asked = ++this.asked;
    const [, open] = location.pathname.match(/^\/t\/([^/]+)$/) || [];
    this.chosen = open ? decodeURIComponent(open) : "";
    try {
      const found = await api.threads(this.search.value.trim(), this.limit + 1);
      if (asked !== this.asked) return;
      this.list.replaceChildren(...found.slice(0, this.limit).filter((one) => one.title).map((one) => this.row(one)));
      if (found.length > this.limit) this.list.appendChild(h("li", {}, button({ class: "plain", onclick: () => this.more() }, "More")));
      this.told.textContent = found.length ? "" : this.search.value ? "Nothing found." : "No conversations yet.";
    } catch (error) {
      this.told.textContent = /** @type {Error} */ (error).message;
    }
  }

  more() {
    this.limit += 200;
    this.reload();
  }

  /** @param {string} thread */
  choose(thread) {
    this.chosen = thread;
    for (const one of this.list.querySelectorAll("a")) {
      if (one.getAttribute("href") === `/t/${encodeURIComponent(thread)}`) one.setAttribute("aria-current", "page");
      else one.removeAttribute("aria-current");
    }
  }

  /** @param {Thread} one */
  row(one) {
    const address = `/t/${encodeURIComponent(one.thread_id)}`;
    const state = one.status === "busy" ? h("span", { class: "spinner", role: "img", "aria-label": "running" }) : one.status === "interrupted" ? h("span", { class: "waits", role: "img", "aria-label": "waiting for an answer", title: "Waiting for an answer" }) : null;
    const anchor = h("a", { href: address, title: one.title, "aria-current": this.chosen === one.thread_id ? "page" : null },
      mark(one.agent || ""), h("span", { class: "thread-title" }, one.title || ""), state, h("time", { datetime: one.updated_at, class: "quiet" }, day(one.updated_at)));
    const made = h("li", {}, anchor);
    append(made, [h("span", { class: "thread-tools" },
      button({ class: "plain", "aria-label": `Rename ${one.title}`, title: "Rename", onclick: () => this.rename(made, one) }, icon("edit")),
      button({ class: "plain", "aria-label": `Delete ${one.title}`, title: "Delete", onclick: () => this.erase(made, one) }, icon("trash")))]);
    return made;
  }

  /** @param {HTMLElement} row @param {Thread} one */
  rename(row, one) {
    const box = /** @type {HTMLInputElement} */ (h("input", { value: one.title, maxlength: 200, "aria-label": "New title" }));
    row.replaceChildren(box);
    box.focus();
    box.select();
    let isDone = false;
    const done = async (/** @type {boolean} */ isKept) => {
      if (isDone) return;
      isDone = true;
      if (isKept && box.value.trim() && box.value !== one.title) await api.rename(one.thread_id, box.value.trim()).catch((error) => console.warn(error));
      await this.load();
    };
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") void done(true);
      if (event.key === "Escape") void done(false);
    });
    box.addEventListener("blur", () => void done(true));
  }

  /** Asked once more, in its place. @param {HTMLElement} row @param {Thread} one */
  erase(row, one) {
    const keep = button({ onclick: () => void this.load() }, "Keep");
    const gone = button({ class: "reject", onclick: async () => {
      await api.remove(one.thread_id).catch((error) => console.warn(error));
      if (this.chosen === one.thread_id) this.dispatchEvent(new CustomEvent("go", { bubbles: true, detail: "/" }));
      await this.load();
    } }, "Delete");
    row.replaceChildren(h("span", { class: "sure" }, h("span", { class: "thread-title" }, `Delete “${one.title}”?`), gone, keep));
    keep.focus();
  }
}
customElements.define("sb-threads", Threads);
