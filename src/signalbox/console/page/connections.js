/** The connected systems and demonstrations, and the model, with their health; no secrets. */
import { api } from "./api.js";
import { append, button, h, icon } from "./dom.js";

export class Connections extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    this.list = h("div", { class: "connections" }, h("p", { class: "quiet", role: "status" }, "Checking each system …"));
    append(this, [h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Connections" }, h("div", { class: "turns" },
      h("header", { class: "view-head" }, h("h1", {}, "Connections"), button({ class: "plain", onclick: () => void this.fill() }, icon("again"), "Check again")), this.list))]);
    void this.fill();
  }

  async fill() {
    try {
      const found = await api.connections();
      this.list?.replaceChildren(this.model(found.model), ...found.systems.map((one) => this.system(one)));
    } catch (error) {
      this.list?.replaceChildren(h("p", { class: "failure", role: "alert" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {import("./types.js").Connections["model"]} one */
  model(one) {
    return card(`Model ${one.name}`, one.address, one.health, "", null);
  }

  /** @param {import("./types.js").System} one */
  system(one) {
    const isLive = one.kind === "live";
    const chip = h("span", { class: isLive ? "chip live-chip" : one.kind === "embedded" ? "chip demo" : "chip" }, isLive ? "live" : one.kind === "embedded" ? "demonstration" : "unknown");
    const hint = isLive ? "" : one.connect ? `Set ${one.connect} to connect your own.` : "";
    const unused = one.in_use ? "" : "Not used, because a live system is connected. ";
    return card(`${one.system} for ${one.agents.join(", ")}`, isLive ? one.address || "" : "", one.health, unused + hint, chip);
  }
}
customElements.define("sb-connections", Connections);

/** @param {string} title @param {string} place @param {import("./types.js").Health | null} health @param {string} hint @param {HTMLElement | null} chip */
function card(title, place, health, hint, chip) {
  const ok = health ? health.ok : null;
  const told = ok === true ? "reachable" : ok === false ? "not reachable" : "not checked";
  return h("section", { class: "connection-card" },
    h("span", { class: `lamp ${ok === true ? "ok" : ok === false ? "bad" : ""}`, role: "img", "aria-label": told, title: told }),
    h("div", {}, h("h2", {}, title, " ", chip), place ? h("p", {}, h("code", {}, place)) : null,
      health?.message ? h("p", { class: ok === false ? "failed" : "" }, health.message) : null, hint ? h("p", { class: "quiet" }, hint) : null));
}
