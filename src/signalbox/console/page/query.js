/** The query behind a block, with a button that copies it. */
import { button, copy, h, icon } from "./dom.js";

/** The query that gave a block. @param {import("./types.js").Block} block */
export function query(block) {
  if (!block.query) return null;
  const pressed = button({ class: "plain", "aria-label": "Copy the query", title: "Copy the query" }, icon("copy"));
  pressed.addEventListener("click", () => void copy(pressed, block.query));
  return h("div", { class: "query" }, h("code", { class: "scrolls", tabindex: 0 }, block.query), pressed);
}
