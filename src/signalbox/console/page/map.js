/** The map of an agent as a picture: its nodes in layers, the active ones highlighted. */
import { api } from "./api.js";
import { h, s } from "./dom.js";

/** @typedef {{id: string, x: number, y: number}} Place */

const WIDE = 168, HIGH = 34, ACROSS = 26, DOWN = 40;

/** @param {string} agent @param {Set<string>} lit @returns {Promise<HTMLElement>} */
export async function agentMap(agent, lit) {
  const { nodes, edges } = await api.graph(agent);
  const links = edges.filter((one) => one.source !== one.target).map((one) => ({ from: String(one.source), to: String(one.target), soft: Boolean(one.conditional) }));
  const places = layered(nodes.map((one) => String(one.id)), links);
  const width = Math.max(...[...places.values()].map((one) => one.x)) + WIDE + ACROSS, height = Math.max(...[...places.values()].map((one) => one.y)) + HIGH + ACROSS;
  const drawn = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Map of ${agent}: ${nodes.map((one) => one.id).join(", ")}` },
    s("defs", {}, s("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, s("path", { d: "M0 0.500 8 4 0 7.500z", class: "tip" }))));
  for (const one of links) {
    const from = places.get(one.from), to = places.get(one.to);
    if (from && to) drawn.appendChild(s("path", { d: way(from, to), class: one.soft ? "edge soft" : "edge", "marker-end": "url(#tip)" }));
  }
  for (const { id, x, y } of places.values()) {
    const name = id.replace(/^__(\w+)__$/, "$1").replace(/_/g, " ");
    drawn.appendChild(s("g", { class: `node${lit.has(id) ? " lit" : ""}${id.startsWith("__") ? " end" : ""}` },
      s("rect", { x, y, width: WIDE, height: HIGH, rx: 8 }), s("text", { x: x + WIDE / 2, y: y + HIGH / 2 + 4, "text-anchor": "middle" }, name.length > 24 ? `${name.slice(0, 23)}…` : name), s("title", {}, name)));
  }
  return h("div", { class: "map scrolls", tabindex: 0, role: "region", "aria-label": `Map of ${agent}` }, drawn);
}

/** @param {Place} from @param {Place} to */
function way(from, to) {
  if (to.y > from.y) {
    const x = from.x + WIDE / 2, end = to.x + WIDE / 2, y = from.y + HIGH, last = to.y - 1, bend = Math.min(DOWN, (last - y) * 0.6);
    return `M${x} ${y}C${x} ${y + bend} ${end} ${last - bend} ${end} ${last}`;
  }
  // Back up: round the side.
  const x = from.x + WIDE, end = to.x + WIDE, out = Math.max(x, end) + ACROSS * 0.8;
  return `M${x} ${from.y + HIGH / 2}C${out} ${from.y + HIGH / 2} ${out} ${to.y + HIGH / 2} ${end + 1} ${to.y + HIGH / 2}`;
}

/**
 * Each node below all that lead to it, without the edges that lead back.
 * @param {string[]} ids @param {{from: string, to: string}[]} links @returns {Map<string, Place>}
 */
function layered(ids, links) {
  const back = leadingBack(ids, links);
  const layer = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < ids.length; round++) {
    for (const one of links) {
      const least = (layer.get(one.from) ?? 0) + 1;
      if (!back.has(one) && (layer.get(one.to) ?? 0) < least) layer.set(one.to, least);
    }
  }
  const last = Math.max(...layer.values());
  if (layer.has("__end__")) layer.set("__end__", Math.max(last, 1));
  const rows = [...Array(last + 2).keys()].map((row) => ids.filter((id) => layer.get(id) === row));
  // Many beside each other are put into rows of four, so that names stay readable.
  const split = rows.flatMap((row) => [...Array(Math.ceil(row.length / 4)).keys()].map((part) => row.slice(part * 4, part * 4 + 4)));
  const widest = Math.max(...split.map((row) => row.length)) * (WIDE + ACROSS);
  /** @type {Map<string, Place>} */
  const places = new Map();
  split.forEach((row, place) => row.forEach((id, at) => places.set(id, {
    id, x: ACROSS / 2 + (widest - row.length * (WIDE + ACROSS)) / 2 + at * (WIDE + ACROSS), y: ACROSS / 2 + place * (HIGH + DOWN),
  })));
  return places;
}

/** @param {string[]} ids @param {{from: string, to: string}[]} links */
function leadingBack(ids, links) {
  const found = new Set(), done = new Set(), open = new Set();
  const visit = (/** @type {string} */ id) => {
    open.add(id);
    for (const one of links.filter((link) => link.from === id)) {
      if (open.has(one.to)) found.add(one);
      else if (!done.has(one.to)) visit(one.to);
    }
    open.delete(id);
    done.add(id);
  };
  for (const id of [...ids.filter((one) => one === "__start__"), ...ids]) if (!done.has(id)) visit(id);
  return found;
}
