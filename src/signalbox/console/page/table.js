/** A table that can be sorted, scrolls inside itself, and hides empty columns. */
import { button, h } from "./dom.js";
import { cell } from "./format.js";

const FIRST_ROWS = 100;

export class Table extends HTMLElement {
  /** @param {{name: string, unit?: string}[]} columns @param {any[][]} rows @param {string} [title] */
  constructor(columns = [], rows = [], title = "") {
    super();
    this.kept = columns.map((one, place) => ({ ...one, place })).filter((one) => rows.some((row) => !isEmpty(row[one.place])));
    this.rows = rows;
    this.label = title || "Table";
    this.shown = FIRST_ROWS;
    this.by = -1;
    this.isDown = false;
  }

  connectedCallback() {
    if (!this.firstChild) this.draw();
  }

  draw() {
    const rows = this.by < 0 ? this.rows : [...this.rows].sort((one, other) => this.compare(one[this.by], other[this.by]));
    const head = h("tr", {}, this.kept.map((one) => this.header(one)));
    const body = rows.slice(0, this.shown).map((row) => h("tr", {}, this.kept.map((one) => {
      const isNumber = typeof row[one.place] === "number";
      return h("td", isNumber ? { class: "number" } : {}, cell(row[one.place], one.unit));
    })));
    const left = this.kept.length ? rows.length - this.shown : 0;
    this.replaceChildren(
      h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": this.label },
        h("table", {}, h("thead", {}, head), h("tbody", {}, body))),
      ...(left > 0 ? [button({ class: "plain", onclick: () => this.more() }, `Show ${Math.min(left, 1000)} more of ${left}`)] : []));
  }

  more() {
    this.shown += 1000;
    this.draw();
  }

  /** @param {{name: string, place: number}} column */
  header(column) {
    const sorted = this.by === column.place ? (this.isDown ? "descending" : "ascending") : "none";
    const pressed = button({ class: "sorts", onclick: () => this.sort(column.place) }, column.name,
      h("span", { class: "arrow", "aria-hidden": "true" }, sorted === "none" ? "" : this.isDown ? "▾" : "▴"));
    return h("th", { scope: "col", "aria-sort": sorted }, pressed);
  }

  /** @param {number} place */
  sort(place) {
    this.isDown = this.by === place && !this.isDown;
    this.by = place;
    const at = this.querySelector(".scrolls")?.scrollLeft || 0;
    this.draw();
    const scrolled = this.querySelector(".scrolls");
    if (scrolled) scrolled.scrollLeft = at;
    const column = this.kept.findIndex((one) => one.place === place);
    /** @type {HTMLElement | undefined} */ (this.querySelectorAll("th button")[column])?.focus();
  }

  /** @param {any} one @param {any} other @returns {number} */
  compare(one, other) {
    if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(one)) - Number(isEmpty(other));
    const sign = this.isDown ? -1 : 1;
    if (typeof one === "number" && typeof other === "number") return sign * (one - other);
    return sign * String(cell(one)).localeCompare(String(cell(other)), "en", { numeric: true });
  }
}
customElements.define("sb-table", Table);

/** @param {any} one */
const isEmpty = (one) => one === null || one === undefined || one === "" || (Array.isArray(one) && !one.length);
