/** The start page: what this is, one example for each agent, and what is connected. */
import { api } from "./api.js";
import { append, button, h, mark } from "./dom.js";

/** @typedef {import("./types.js").Agent} Agent */

const MOST_OF_ONE = 6;

export class Welcome extends HTMLElement {
  /** @param {string} assistant */
  constructor(assistant = "") {
    super();
    this.assistant = assistant;
  }

  connectedCallback() {
    if (this.firstChild) return;
    this.examples = h("ul", { class: "examples", "aria-label": "Examples" });
    this.systems = h("p", { class: "systems quiet" });
    append(this, [
      h("h1", {}, "Ask your systems in plain language"),
      h("p", { class: "lead" }, "The right agent answers, with its steps and its evidence. Nothing is changed without your approval."),
      this.examples, this.systems,
    ]);
    void this.fill();
  }

  /** @param {Agent} agent @param {string} example */
  example({ name, about }, example) {
    const ask = () => this.dispatchEvent(new CustomEvent("ask", { bubbles: true, detail: example }));
    return h("li", {}, button({ class: "example", onclick: ask, title: about }, mark(name), h("span", {}, h("b", {}, name), h("span", {}, example))));
  }

  /** Say at once if there is no such agent; the address may also name an assistant of the person's own. @param {Agent[]} all */
  async refuse(all) {
    const isKnown = await api.assistant(this.assistant).then(() => true, (error) => error.status !== 404);
    if (isKnown) return;
    const names = all.filter((one) => one.is_offered).map((one) => one.name).join(", ");
    this.prepend(h("div", { class: "note-card", role: "alert" }, h("p", {}, `There is no agent “${this.assistant}”. There are: ${names}.`)));
  }

  async fill() {
    const all = await api.agents().catch(() => []);
    if (this.assistant && all.length && !all.some((one) => one.name === this.assistant)) void this.refuse(all);
    const chosen = all.find((one) => one.name === this.assistant && !one.is_default);
    const isLive = (/** @type {Agent} */ one) => one.source?.kind === "live";
    const agents = chosen ? [chosen] : all.filter((one) => one.is_offered && !one.is_default && (one.examples.length || isLive(one)));
    for (const one of agents) {
      const box = h("li", {}, h("div", { class: "example", title: one.about }, mark(one.name), h("span", {}, h("b", {}, one.name), h("span", {}, one.about))));
      this.examples?.appendChild(box);
      const show = (/** @type {Agent} */ { examples }) => examples.length && box.replaceWith(...examples.slice(0, chosen ? MOST_OF_ONE : 1).map((example) => this.example(one, example)));
      show(one);
      // A slow live system delays only its own box.
      if (!one.examples.length && isLive(one)) void api.agent(one.name).then(show, () => undefined);
    }
    const named = (/** @type {string} */ kind) => [...new Set(agents.flatMap((one) => (one.source?.parts?.length ? one.source.parts : one.source ? [one.source] : [])).filter((one) => one.kind === kind).map((one) => one.system))];
    const line = (/** @type {string} */ kind, /** @type {string} */ look, /** @type {string} */ label) =>
      named(kind).length ? h("span", {}, h("span", { class: `chip ${look}` }, label), ` ${named(kind).join(", ")}`) : null;
    if (this.systems) append(this.systems, [line("live", "live-chip", "live"), line("embedded", "demo", "demonstration"), h("a", { href: "/connections" }, "Connections")]);
  }
}
customElements.define("sb-welcome", Welcome);
