/** Making nodes. Text only ever becomes text nodes, so nothing that a server says can become part of the page. */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes (`on…` are listeners, `class` its classes) and children.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  set(made, attributes);
  append(made, children);
  return made;
}

/**
 * The same for SVG.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(made, attributes);
  append(made, children);
  return made;
}

/** @param {Element} made @param {Object<string, any>} attributes */
function set(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Node} parent @param {(Child | Child[])[]} children */
export function append(parent, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false || child === "") continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * A button.
 * @param {Object<string, any>} attributes
 * @param {...(Child | Child[])} children
 */
export function button(attributes, ...children) {
  return /** @type {HTMLButtonElement} */ (h("button", { type: "button", ...attributes }, ...children));
}

/** @type {Object<string, string>} */
const ICONS = {
  plus: "M8 3v10M3 8h10",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5 14 14",
  copy: "M5.5 5.5v-3h8v8h-3M2.500 5.500h8v8h-8z",
  link: "M6.500 9.500l3-3M7 4.500l1.200-1.200a3 3 0 0 1 4.300 4.300L11 9M9 11.500l-1.200 1.200a3 3 0 0 1-4.300-4.300L5 7",
  edit: "M3 13l.6-2.800L10.800 3l2.200 2.200-7.200 7.200zM9.500 4.300l2.200 2.200",
  up: "M5 7.500 7.700 2c1.200 0 1.800.8 1.600 2L9 6.500h3.200c1 0 1.600.9 1.400 1.800l-.9 4c-.2.800-.8 1.200-1.500 1.200H5zM5 7.500H2.500v6H5",
  down: "M11 8.500 8.300 14c-1.200 0-1.800-.8-1.600-2L7 9.500H3.800c-1 0-1.600-.9-1.400-1.800l.9-4C3.500 2.900 4.100 2.500 4.800 2.500H11zM11 8.500h2.500v-6H11",
  trash: "M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.6 9h5.800l.6-9",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  stop: "M4.500 4.500h7v7h-7z",
  send: "M8 13V3.500M4 7.200l4-4 4 4",
  map: "M6 2.500h4v3H6zM2 10.500h4v3H2zM10 10.500h4v3h-4zM8 5.500v2.500M4 10.500V8h8v2.500",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.500 6.500 12 13 4.500",
  plug: "M5.500 2.500v3M10.500 2.500v3M4 5.500h8v2a4 4 0 0 1-8 0zM8 11.500v2.500",
  shade: "M8 2.500v11M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11M9.500 4v8M11 5v6M12.300 6.500v3",
  out: "M6.500 3h-4v10h4M7 8h7M11 5l3 3-3 3",
  again: "M13 8a5 5 0 1 1-1.500-3.600L13 6M13 2.500V6H9.500",
  csv: "M8 2.500v8M4.500 7.500 8 11l3.500-3.500M2.500 13.500h11",
};

/** An icon of the page's own. @param {string} name */
export function icon(name) {
  const drawn = s("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" });
  drawn.appendChild(s("path", { d: ICONS[name] || "" }));
  return drawn;
}

/**
 * Put text on the clipboard, and say so on the button that was pressed.
 * @param {HTMLElement} pressed @param {string} text
 */
export async function copy(pressed, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = /** @type {HTMLTextAreaElement} */ (h("textarea", { class: "offscreen" }));
    area.value = text;
    document.body.appendChild(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const label = pressed.getAttribute("aria-label") || "";
  pressed.setAttribute("aria-label", "Copied");
  pressed.classList.add("done");
  announce("Copied");
  setTimeout(() => {
    pressed.setAttribute("aria-label", label);
    pressed.classList.remove("done");
  }, 1600);
}

/** Tell a screen reader something, once. @param {string} text */
export function announce(text) {
  const place = document.getElementById("announcer");
  if (place) place.textContent = text;
}

/** Who answers: what sends requests on to the agents is the house itself. @param {string} agent */
export const shownName = (agent) => (!agent || agent === document.querySelector('meta[name="house"]')?.getAttribute("content") ? "Signalbox" : agent);

/** The agent's mark: its first letter on a hue of its own. @param {string} agent */
export function mark(agent) {
  const name = shownName(agent);
  let hue = 7;
  for (const letter of name) hue = (hue * 31 + letter.charCodeAt(0)) % 360;
  const made = h("span", { class: "mark", "aria-hidden": "true" }, name[0].toUpperCase());
  made.style.setProperty("--hue", String(hue));
  return made;
}
