/** The blocks of an answer, each as what a person reads. A block is plain data; its type decides how it is drawn. */
import { Curve } from "./curve.js";
import { append, button, h, icon } from "./dom.js";
import { findings } from "./findings.js";
import { cell, figure, moment, readable } from "./format.js";
import { investigation, isInvestigation } from "./investigation.js";
import { inline, link, markdown, plain } from "./markdown.js";
import { query } from "./query.js";
import { Table } from "./table.js";
import { timeline } from "./timeline.js";

/**
 * @typedef {import("./types.js").Block} Block
 * @typedef {import("./types.js").Answer} Answer
 * @typedef {import("./markdown.js").Cite} Cite
 */

const MOST_ITEMS = 6;
const STATISTICS = new Set(["min", "mean", "median", "max", "last", "points"]);

/** @type {Object<string, (block: Block, cite: Cite) => Node | null>} */
const DRAWN = {
  text: (block, cite) => markdown(String(block.text || ""), cite),
  value: value,
  series: (block) => new Curve(block),
  ranking: ranking,
  table: (block) => h("div", {}, new Table(block.columns || [], block.rows || [], block.title), query(block)),
  diff: diff,
  timeline: (block) => timeline(block),
  report: report,
};

/**
 * All of an answer: its text and its blocks, each thing said once.
 * @param {Answer} answer @param {Cite} cite
 * @returns {DocumentFragment}
 */
export function answerBody(answer, cite) {
  const made = document.createDocumentFragment();
  const blocks = (answer.blocks || []).filter((block) => block && typeof block === "object");
  const drawn = blocks.filter((block) => block.type !== "text" || block.title);
  if (isInvestigation(drawn)) {
    made.appendChild(investigation(drawn, cite, (block) => blockNode(block, cite)));
    return made;
  }
  const text = unsaid(answer, drawn);
  if (text) made.appendChild(h("div", { class: "text" }, markdown(text, cite)));
  drawn.forEach((block, place) => {
    if (drawn[place - 1]?.type === "series" && isStatistics(block)) return;
    made.appendChild(blockNode(block, cite));
  });
  return made;
}

/**
 * A block with its title; what is malformed is shown as the data that it is.
 * @param {Block} block @param {Cite} cite @returns {HTMLElement}
 */
export function blockNode(block, cite) {
  const made = h("section", { class: `block block-${String(block.type).replace(/\W/g, "")}` });
  const head = h("div", { class: "block-head" }, block.title ? h("h4", {}, block.title) : null);
  /** @type {Node | null} */
  let inside = null;
  try {
    inside = (DRAWN[block.type] || (() => null))(block, cite);
  } catch (error) {
    console.warn("Could not draw a block:", error);
  }
  if (inside === null) {
    const { type, title, ...data } = block;
    inside = h("pre", { tabindex: 0 }, readable(data));
  }
  append(head, [h("span", { class: "block-tools" }, tools(block))]);
  if (block.title || head.querySelector("button, a")) made.appendChild(head);
  made.appendChild(inside);
  return made;
}

/** What takes a block along: its query, its place in Grafana, its data. @param {Block} block */
function tools(block) {
  const address = typeof block.link === "string" ? link(block.link, "Open in Grafana") : null;
  const rows = asRows(block);
  return [
    address,
    rows ? button({ class: "plain", title: "Download as CSV", "aria-label": "Download as CSV",
      onclick: () => download(`${(block.title || block.type).replace(/\W+/g, "-").toLowerCase()}.csv`, csv(rows)) }, icon("csv"), "CSV") : null,
  ];
}

/** @param {Block} block @returns {any[][] | null} */
function asRows(block) {
  if (block.type === "table") return [block.columns.map((/** @type {any} */ one) => one.name), ...block.rows];
  if (block.type === "ranking") return [["name", "value"], ...block.rows.map((/** @type {any} */ one) => [one.name, one.value])];
  if (block.type !== "series") return null;
  const rows = block.series.flatMap((/** @type {any} */ one) => one.points.map((/** @type {any} */ [at, number]) => [at, one.name, number]));
  return [["time", "name", "value"], ...rows];
}

/** @param {any[][]} rows */
function csv(rows) {
  const inert = (/** @type {any} */ one) => {
    const text = one === null || one === undefined ? "" : typeof one === "object" ? JSON.stringify(one) : String(one);
    // What a spreadsheet would take for a formula is marked as text.
    const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return rows.map((row) => row.map(inert).join(",")).join("\n") + "\n";
}

/** @param {string} name @param {string} text */
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {Block} block */
function value(block) {
  const { unit = "", compared } = block;
  const change = compared && typeof compared.change === "number" ? ` (${compared.change < 0 ? "−" : "+"}${figure(Math.abs(compared.change), "ratio")})` : "";
  return h("div", {},
    h("p", { class: "figure" }, figure(block.value, unit)),
    block.at ? h("p", { class: "quiet" }, `at ${moment(block.at)}`) : null,
    compared ? h("p", {}, `${compared.title}: ${figure(compared.value, unit)}${change}`) : null,
    query(block));
}

/** Figures as bars, the best first; beside each what was expected, where that is known. @param {Block} block */
function ranking(block) {
  const rows = block.rows || [], unit = block.unit || "";
  const most = Math.max(...rows.flatMap((/** @type {any} */ one) => [Math.abs(one.value), one.high ?? 0, one.expected ?? 0]), 1e-300);
  const made = h("ol", { class: "bars" });
  for (const row of rows.slice(0, 100)) {
    const bar = h("span", { class: "bar" });
    bar.style.setProperty("--part", String(Math.abs(row.value) / most));
    const track = h("span", { class: "track", "aria-hidden": "true" }, bar);
    if (typeof row.expected === "number") {
      const whisker = h("span", { class: "whisker" }), expected = h("span", { class: "expected" });
      whisker.style.setProperty("--from", String(row.low / most));
      whisker.style.setProperty("--to", String(row.high / most));
      expected.style.setProperty("--part", String(row.expected / most));
      append(track, [whisker, expected]);
    }
    const told = typeof row.expected === "number" ? h("span", { class: "quiet" }, ` expected ${figure(row.expected, unit)}`) : null;
    made.appendChild(h("li", {}, h("span", { class: "name" }, row.name), track, h("span", { class: "number" }, figure(row.value, unit), told)));
  }
  const legend = rows.some((/** @type {any} */ one) => typeof one.expected === "number")
    ? h("p", { class: "quiet" }, "The line marks the expected value, the band what chance can explain.") : null;
  const left = rows.length - 100;
  return h("div", {}, made, left > 0 ? h("p", { class: "quiet" }, `… and ${left} more`) : null, legend, query(block));
}

/** What changes: before and after, with what is new or goes marked by more than its colour. @param {Block} block */
function diff(block) {
  const rows = (block.rows || []).map((/** @type {any} */ row) => h("tr", {}, h("th", { scope: "row" }, row.name), side("del", row.before), side("ins", row.after)));
  const head = h("tr", {}, h("td"), h("th", { scope: "col" }, "before"), h("th", { scope: "col" }, "after"));
  return h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": block.title || "What changes" },
    h("table", { class: "diff" }, h("thead", {}, head), h("tbody", {}, rows)));
}

/** @param {"del" | "ins"} tag @param {any} one */
function side(tag, one) {
  if (one === null || one === undefined) return h("td", { class: "quiet" }, tag === "del" ? "new" : "removed");
  const lines = String(cell(one)).split("\n").filter((line) => line.trim());
  if (Array.isArray(one) || lines.length > 1) {
    const items = Array.isArray(one) ? one.map((item) => cell(item)) : lines;
    return h("td", {}, h("ul", {}, items.map((item) => h("li", {}, h(tag, {}, item)))));
  }
  return h("td", {}, h(tag, {}, cell(one)));
}

/** A verdict, the findings with their evidence, and sections that fold where they are long. @param {Block} block @param {Cite} cite */
function report(block, cite) {
  return h("div", { class: "report" },
    block.verdict ? h("p", { class: "verdict" }, inline(block.verdict, cite)) : null,
    findings(block.findings || [], cite),
    (block.sections || []).map((/** @type {any} */ one) => section(one.title, one.blocks || [], cite)));
}

/** @param {string} title @param {Block[]} blocks @param {Cite} cite */
function section(title, blocks, cite) {
  const inside = blocks.map((one) => (one.type === "text" && !one.title ? h("div", { class: "text" }, markdown(String(one.text), cite)) : blockNode(one, cite)));
  const count = inside.reduce((sum, one) => sum + one.querySelectorAll("li").length, 0);
  if (count <= MOST_ITEMS) return h("section", {}, h("h5", {}, title), inside);
  return h("details", { class: "folds" }, h("summary", {}, title, h("span", { class: "quiet" }, ` ${count}`)), inside);
}

/** Statistics of curves stand under their chart already. @param {Block} block */
function isStatistics(block) {
  const columns = block.type === "table" ? (block.columns || []).map((/** @type {any} */ one) => one.name) : [];
  return columns.length > 0 && columns.every((/** @type {string} */ one) => STATISTICS.has(one));
}

/**
 * The text of an answer without the lines that its blocks and its question show anyway.
 * @param {Answer} answer @param {Block[]} blocks
 */
function unsaid(answer, blocks) {
  const asked = [answer.question?.message, answer.question?.text].map((one) => plain(one || ""));
  const text = answer.error && !blocks.length ? "" : answer.answer || "";
  if (asked.includes(plain(text))) return "";
  const said = new Set(blocks.flatMap(linesOf).map(plain).filter(Boolean));
  const left = answer.not_covered?.length ? "not considered:" : "\0";
  const kept = text.split("\n").filter((line) => {
    const words = plain(line.replace(/^\s*([-*]|\d+\.)\s+/, ""));
    return !said.has(words) && !words.startsWith(left);
  });
  // A line that only announced a list which is gone announces nothing.
  const told = kept.filter((line, place) => {
    const next = kept.slice(place + 1).find((one) => one.trim());
    return !said.size || !line.trim().endsWith(":") || /^\s*([-*]|\d+\.)\s/.test(next || "");
  });
  return told.join("\n").trim();
}

/** @param {Block} block @returns {string[]} */
function linesOf(block) {
  const items = (/** @type {string} */ text) => text.split("\n").map((line) => line.replace(/^\s*([-*]|\d+\.)\s+/, ""));
  const own = block.type === "report" ? [block.verdict || "", ...(block.findings || []).map((/** @type {any} */ one) => one.text)] : [];
  const inner = (block.sections || []).flatMap((/** @type {any} */ one) => [one.title, ...(one.blocks || []).flatMap(linesOf)]);
  const asked = [...String(block.query || "").split("\n").map((one) => one && `Query: ${one}`), block.type === "text" ? items(String(block.text || "")) : []].flat();
  return [...own, ...inner, ...asked].filter(Boolean);
}
