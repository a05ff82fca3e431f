/** What happened when, on one axis with a lane for each source: spans as bars, moments as marks, symptoms as curves. */
import { spark } from "./curve.js";
import { append, button, h, s } from "./dom.js";
import { clock, figure, moment } from "./format.js";

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").TimelineEvent} TimelineEvent */

const TICKS = [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

/** @param {Block} block @returns {HTMLElement} */
export function timeline(block) {
  /** @type {TimelineEvent[]} */
  const events = (block.events || []).filter((/** @type {TimelineEvent} */ one) => !Number.isNaN(Date.parse(one.at))).map(withLane);
  const made = h("div", { class: "timeline" });
  if (events.length) made.appendChild(axis(events));
  made.appendChild(listed(events, events.length > 6));
  return made;
}

/** The lane that an event names, or the one that its text begins with. @param {TimelineEvent} one @returns {TimelineEvent} */
function withLane(one) {
  if (one.lane) return one;
  const [, lane, text] = one.text.match(/^([a-z][\w-]{1,30}): (.*)$/s) || [];
  return lane ? { ...one, lane, text } : { ...one, lane: "" };
}

/** @param {TimelineEvent} one */
const endOf = (one) => (one.end && !Number.isNaN(Date.parse(one.end)) ? Date.parse(one.end) : Date.parse(one.at));

/** The period to show: an early stray event must not squeeze the rest together. @param {TimelineEvent[]} events */
function spanOf(events) {
  const weighty = events.filter((one) => one.role === "cause" || one.role === "symptom" || one.severity === "critical" || one.severity === "warning");
  const all = weighty.length ? weighty : events;
  const first = Math.min(...all.map((one) => Date.parse(one.at))), last = Math.max(...all.map(endOf));
  const margin = Math.max((last - first) * 0.12, 120_000);
  return /** @type {[number, number]} */ ([first - margin, last + margin]);
}

/** @param {TimelineEvent[]} events */
function axis(events) {
  const [from, to] = spanOf(events);
  const part = (/** @type {number} */ at) => `${Math.min(Math.max((at - from) / (to - from), 0), 1) * 100}%`;
  const lanes = Map.groupBy ? Map.groupBy(events, (one) => one.lane || "") : grouped(events);
  const grid = h("div", { class: "lanes", role: "group", "aria-label": "Timeline; each mark shows its details" });
  const detail = h("p", { class: "lane-detail quiet", role: "status" }, "Point at a mark, or press Tab, to see what it is.");
  const cause = events.find((one) => one.role === "cause");
  const ticks = ticksOf(from, to);
  for (const [lane, inside] of [...lanes].sort(([, one], [, other]) => weight(other) - weight(one))) {
    const drawn = h("div", { class: "lane-plot" });
    for (const at of ticks) drawn.appendChild(placed(h("span", { class: "tick", "aria-hidden": "true" }), part(at)));
    if (cause) drawn.appendChild(band(cause, part));
    const rows = packed(inside.filter((one) => endOf(one) >= from && Date.parse(one.at) <= to), from, to);
    rows.forEach((row) => drawn.appendChild(rowOf(row, [from, to], part, detail)));
    const outside = inside.filter((one) => endOf(one) < from).length;
    append(grid, [h("div", { class: "lane-name" }, lane || "events", outside ? h("span", { class: "quiet" }, ` +${outside} before`) : null), drawn]);
  }
  const foot = h("div", { class: "lane-plot axis", "aria-hidden": "true" });
  for (const at of ticks) foot.appendChild(placed(h("span", { class: "tick-name" }, tickName(at, to - from)), part(at)));
  append(grid, [h("div", { class: "lane-name" }), foot]);
  return h("div", {}, grid, detail);
}

/** @param {TimelineEvent[]} events @returns {Map<string, TimelineEvent[]>} */
function grouped(events) {
  /** @type {Map<string, TimelineEvent[]>} */
  const found = new Map();
  for (const one of events) found.set(one.lane || "", [...(found.get(one.lane || "") || []), one]);
  return found;
}

/** @param {TimelineEvent[]} events */
const weight = (events) => Math.max(...events.map((one) => ({ cause: 3, symptom: 2 }[one.role || ""] || (one.severity === "critical" ? 1 : 0))));

/** @param {HTMLElement} one @param {string} left */
function placed(one, left) {
  one.style.setProperty("--at", left);
  return one;
}

/** @param {TimelineEvent} cause @param {(at: number) => string} part */
function band(cause, part) {
  const made = h("span", { class: "cause-band", "aria-hidden": "true" });
  made.style.setProperty("--at", part(Date.parse(cause.at)));
  made.style.setProperty("--until", part(endOf(cause)));
  return made;
}

/** Events in as few rows as hold them side by side. @param {TimelineEvent[]} events @param {number} from @param {number} to */
function packed(events, from, to) {
  const room = (to - from) / 45;
  /** @type {TimelineEvent[][]} */
  const rows = [];
  for (const one of [...events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    const row = one.points?.length ? undefined : rows.find((all) => !all[0].points?.length && endOf(all[all.length - 1]) + room < Date.parse(one.at));
    if (row) row.push(one);
    else rows.push([one]);
  }
  return rows.slice(0, 8);
}

/** @param {TimelineEvent[]} row @param {[number, number]} span @param {(at: number) => string} part @param {HTMLElement} detail */
function rowOf(row, span, part, detail) {
  const made = h("div", { class: row[0].points?.length ? "lane-row curve-row" : "lane-row" });
  for (const one of row) {
    if (one.points?.length) append(made, [spark([one.points], 600, 44, "lane-curve", span), placed(h("span", { class: "curve-name", "aria-hidden": "true" }, one.text), part(Date.parse(one.at)))]);
    const level = one.role === "cause" ? "cause" : one.severity || "info";
    const mark = button({ class: `event ${level}${endOf(one) > Date.parse(one.at) ? " lasting" : ""}`, "aria-label": told(one) });
    mark.style.setProperty("--at", part(Date.parse(one.at)));
    mark.style.setProperty("--until", part(endOf(one)));
    const show = () => detail.replaceChildren(h("strong", {}, one.role === "cause" ? "Suspected cause · " : "", when(one)), ` ${one.text}`);
    for (const kind of ["mouseenter", "focus", "click"]) mark.addEventListener(kind, show);
    made.appendChild(mark);
  }
  return made;
}

/** @param {TimelineEvent} one */
const when = (one) => moment(one.at) + (one.end && endOf(one) > Date.parse(one.at) ? ` to ${clock(one.end)}` : "");

/** @param {TimelineEvent} one */
function told(one) {
  const peak = one.points?.length ? `, at most ${figure(Math.max(...one.points.map(([, value]) => value)), one.unit)}` : "";
  return `${one.role === "cause" ? "Suspected cause: " : ""}${one.lane ? `${one.lane}, ` : ""}${when(one)}: ${one.text}${peak}`;
}

/** @param {number} from @param {number} to */
function ticksOf(from, to) {
  const step = (TICKS.find((one) => (to - from) / 1000 / one <= 7) || 2592000) * 1000;
  const shift = new Date(from).getTimezoneOffset() * 60_000;
  const ticks = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at < to; at += step) ticks.push(at);
  return ticks;
}

/** @param {number} at @param {number} span */
function tickName(at, span) {
  const then = new Date(at);
  const date = then.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  if (span > 5 * 86400_000) return date;
  return then.getHours() === 0 && then.getMinutes() === 0 ? date : clock(then);
}

/** The same events as a list. @param {TimelineEvent[]} events @param {boolean} isFolded */
function listed(events, isFolded) {
  const items = events.map((one) => h("li", { class: one.role === "cause" ? "cause" : one.severity || "info" },
    h("time", { datetime: one.at }, when(one)), h("span", {}, one.lane ? h("b", {}, `${one.lane} `) : null, one.text)));
  const list = h("ol", { class: "events" }, items);
  return isFolded ? h("details", { class: "folds" }, h("summary", {}, "All events", h("span", { class: "quiet" }, ` ${events.length}`)), list) : list;
}

/** The chain from a cause to its symptom. @param {{from: string, to: string, why?: string}[]} edges */
export function connection(edges) {
  if (!edges.length) return null;
  const step = (/** @type {string} */ name, /** @type {string} */ kind) => h("li", { class: `thing ${kind}` }, name);
  const made = h("ol", { class: "connection", "aria-label": "How the cause is connected to the symptom" }, step(edges[0].from, "first"));
  edges.forEach((one, place) => {
    const arrow = s("svg", { viewBox: "0 0 40 10", class: "arrow", "aria-hidden": "true" }, s("path", { d: "M0 5h36M32 1.500l4 3.500-4 3.500" }));
    append(made, [h("li", { class: "edge" }, h("span", { class: "why" }, one.why || ""), arrow), step(one.to, place === edges.length - 1 ? "last" : "")]);
  });
  return made;
}
