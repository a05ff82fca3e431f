/** An investigation: the verdict and its certainty, the chain from cause to symptom, a timeline, and the evidence. */
import { append, h } from "./dom.js";
import { findings } from "./findings.js";
import { inline, markdown } from "./markdown.js";
import { connection } from "./timeline.js";

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./markdown.js").Cite} Cite */

const MOST_OPEN = 5;

/** A report that says how sure it is makes an investigation. @param {Block[]} blocks */
export const isInvestigation = (blocks) => blocks.some((one) => one.type === "report" && typeof one.sureness === "string");

/**
 * @param {Block[]} blocks @param {Cite} cite @param {(block: Block) => Node} draw
 * @returns {HTMLElement}
 */
export function investigation(blocks, cite, draw) {
  const report = /** @type {Block} */ (blocks.find((one) => one.type === "report"));
  const rest = blocks.filter((one) => one !== report);
  const sections = (report.sections || []).filter((/** @type {any} */ one) => !isSureness(one, report));
  return h("div", { class: "investigation" },
    head(report, cite),
    connection(report.connection || []),
    rest.filter((one) => one.type === "timeline").map(draw),
    findings(report.findings || [], cite),
    h("div", { class: "sections" }, sections.map((/** @type {any} */ one) => section(one, cite, draw))),
    rest.filter((one) => one.type !== "timeline").map(draw));
}

/** @param {any} section @param {Block} report */
const isSureness = (section, report) => (section.blocks || []).length === 1 && String(section.blocks[0].text || "").replace(/^- /, "") === report.sureness;

/** The verdict, its first sentence large. @param {Block} report @param {Cite} cite */
function head(report, cite) {
  const [, first, more] = String(report.verdict || "").match(/^(.+?[.!?])(?:\s+(?=[A-Z])(.*))?$/s) || [null, report.verdict || "", ""];
  const level = { confirmed: "sure", likely: "likely" }[/** @type {string} */ (report.sureness)] || "open";
  return h("header", { class: "verdict-head" },
    report.sureness ? h("span", { class: `sureness ${level}` }, report.sureness) : null,
    h("p", { class: "verdict" }, inline(first, cite)), more ? h("p", { class: "verdict-more" }, inline(more, cite)) : null);
}

/** @param {{title: string, blocks: Block[]}} one @param {Cite} cite @param {(block: Block) => Node} draw */
function section(one, cite, draw) {
  const inside = (one.blocks || []).map((block) => (block.type === "text" ? h("div", { class: "text" }, markdown(String(block.text), cite)) : draw(block)));
  const body = h("div", {}, inside);
  const items = [...body.querySelectorAll("li")];
  const made = h("section", { class: "card" }, h("h5", {}, one.title, items.length > 1 ? h("span", { class: "quiet" }, ` ${items.length}`) : null));
  if (items.length <= MOST_OPEN) {
    append(made, [body]);
    return made;
  }
  const list = /** @type {HTMLElement} */ (items[0].parentElement);
  const later = list.cloneNode(false);
  items.slice(MOST_OPEN).forEach((item) => later.appendChild(item));
  append(made, [body, h("details", { class: "folds" }, h("summary", {}, `${items.length - MOST_OPEN} more`), later)]);
  return made;
}
