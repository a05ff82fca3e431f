/**
 * Markdown as nodes: paragraphs, headings, lists, tables, code, emphasis and links to http(s). There is no HTML in it,
 * no image, and nothing that fetches.
 */
import { append, h } from "./dom.js";

/** @typedef {(id: string) => Node | null} Cite  What a citation such as E3 becomes; null leaves it text. */

const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const ROW = /^\s*\|.*\|\s*$/;
const INLINE = /`([^`]+)`|\\([!-/:-@[-`{-~])|\*\*([^*]+(?:\*(?!\*)[^*]+)*)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\[([^\]]*)\]\((\S+?)\)|(https?:\/\/[^\s<>)"'\]]+)|\\?\[(E\d+(?:,\s*E\d+)*)\\?\]/g;

/**
 * @param {string} text @param {Cite} [cite]
 * @returns {DocumentFragment}
 */
export function markdown(text, cite) {
  const made = document.createDocumentFragment();
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  let at = 0;
  while (at < lines.length) at = block(lines, at, made, cite);
  return made;
}

/** @param {string[]} lines @param {number} at @param {Node} made @param {Cite | undefined} cite @returns {number} */
function block(lines, at, made, cite) {
  const line = lines[at];
  if (!line.trim()) return at + 1;
  const fence = line.match(/^\s*(`{3,}|~{3,})/);
  if (fence) {
    let end = at + 1;
    while (end < lines.length && !lines[end].trim().startsWith(fence[1])) end++;
    made.appendChild(h("pre", { tabindex: 0 }, h("code", {}, lines.slice(at + 1, end).join("\n"))));
    return end + 1;
  }
  const head = line.match(/^(#{1,6})\s+(.*)$/);
  if (head) {
    made.appendChild(h(head[1].length < 3 ? "h3" : "h4", {}, inline(head[2], cite)));
    return at + 1;
  }
  if (/^\s*([-*_])\s*(\1\s*){2,}$/.test(line)) {
    made.appendChild(h("hr"));
    return at + 1;
  }
  if (line.startsWith(">")) {
    const quoted = run(lines, at, (one) => one.startsWith(">"));
    made.appendChild(h("blockquote", {}, markdown(quoted.map((one) => one.replace(/^>\s?/, "")).join("\n"), cite)));
    return at + quoted.length;
  }
  if (ROW.test(line) && /^[\s|:-]+$/.test(lines[at + 1] || "")) return table(lines, at, made, cite);
  if (ITEM.test(line)) return list(lines, at, made, cite);
  const words = run(lines, at, (one, place) => Boolean(one.trim()) && (place === at || !starts(one)));
  const said = h("p");
  words.forEach((one, place) => append(said, [place ? h("br") : null, inline(one.trim(), cite)]));
  made.appendChild(said);
  return at + words.length;
}

/** @param {string} line */
const starts = (line) => ITEM.test(line) || /^(#{1,6}\s|>|\s*(`{3,}|~{3,}))/.test(line);

/** @param {string[]} lines @param {number} at @param {(line: string, place: number) => boolean} fits */
function run(lines, at, fits) {
  let end = at;
  while (end < lines.length && fits(lines[end], end)) end++;
  return lines.slice(at, end);
}

/** @param {string[]} lines @param {number} at @param {Node} made @param {Cite | undefined} cite @returns {number} */
function list(lines, at, made, cite) {
  const first = /** @type {RegExpMatchArray} */ (lines[at].match(ITEM));
  const depth = first[1].length, ordered = /\d/.test(first[2]);
  const from = ordered ? parseInt(first[2], 10) : 1;
  const items = h(ordered ? "ol" : "ul", from === 1 ? {} : { start: from });
  while (at < lines.length) {
    const found = lines[at].match(ITEM);
    if (!found || found[1].length < depth || (found[1].length === depth && /\d/.test(found[2]) !== ordered)) break;
    if (found[1].length > depth) {
      at = list(lines, at, items.lastElementChild || items, cite);
      continue;
    }
    const item = h("li", {}, inline(found[3], cite));
    items.appendChild(item);
    at++;
    while (at < lines.length && lines[at].trim() && !ITEM.test(lines[at]) && /^\s/.test(lines[at])) {
      append(item, [h("br"), inline(lines[at].trim(), cite)]);
      at++;
    }
    if (at + 1 < lines.length && !lines[at].trim() && ITEM.test(lines[at + 1])) at++;
  }
  made.appendChild(items);
  return at;
}

/** @param {string[]} lines @param {number} at @param {Node} made @param {Cite | undefined} cite @returns {number} */
function table(lines, at, made, cite) {
  const rows = run(lines, at, (one) => ROW.test(one)).map((one) => one.trim().slice(1, -1).split(/(?<!\\)\|/));
  const cells = (/** @type {string[]} */ row, /** @type {string} */ tag) =>
    h("tr", {}, row.map((one) => h(tag, tag === "th" ? { scope: "col" } : {}, inline(one.trim(), cite))));
  const body = rows.slice(2).map((row) => cells(row, "td"));
  const made_ = h("table", {}, h("thead", {}, cells(rows[0], "th")), h("tbody", {}, body));
  made.appendChild(h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Table" }, made_));
  return at + rows.length;
}

/**
 * The marks inside a line.
 * @param {string} text @param {Cite} [cite] @returns {DocumentFragment}
 */
export function inline(text, cite) {
  const made = document.createDocumentFragment();
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    append(made, [text.slice(end, found.index), mark(found, cite)]);
    end = found.index + found[0].length;
  }
  append(made, [text.slice(end)]);
  return made;
}

/** @param {RegExpMatchArray} found @param {Cite | undefined} cite @returns {Node | string} */
function mark(found, cite) {
  const [whole, code, escaped, strong, under, soft, label, target, bare, cited] = found;
  if (code !== undefined) return h("code", {}, code);
  if (escaped !== undefined) return escaped;
  if (strong !== undefined || under !== undefined) return h("strong", {}, inline(strong ?? under, cite));
  if (soft !== undefined) return h("em", {}, inline(soft, cite));
  if (cited !== undefined) return citations(cited, whole, cite);
  if (bare !== undefined) {
    const [, address, rest] = /** @type {RegExpMatchArray} */ (bare.match(/^(.*?)([.,;:!?]*)$/s));
    const made = document.createDocumentFragment();
    append(made, [link(address, address), rest]);
    return made;
  }
  return link(target, label) || whole;
}

/**
 * A link that opens beside the page; nothing but http(s) becomes one.
 * @param {string} address @param {string} label @returns {HTMLElement | null}
 */
export function link(address, label) {
  if (!/^https?:\/\//i.test(address)) return null;
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, label || address);
}

/** @param {string} ids @param {string} whole @param {Cite | undefined} cite @returns {Node | string} */
function citations(ids, whole, cite) {
  const made = document.createDocumentFragment();
  for (const id of ids.split(/,\s*/)) {
    const node = cite ? cite(id) : null;
    if (!node) return whole.replace(/\\/g, "");
    made.appendChild(node);
  }
  return made;
}

/** The words of Markdown, without its marks, for comparing. @param {string} text */
export const plain = (text) => text.replace(/\\?\[E\d+(?:,\s*E\d+)*\\?\]/g, "").replace(/[*`\\_#]/g, "").replace(/\s+/g, " ").trim().toLowerCase();
