/** Findings, with their severity and evidence. */
import { h } from "./dom.js";
import { inline } from "./markdown.js";

/** @param {import("./types.js").Finding[]} all @param {import("./markdown.js").Cite} cite */
export function findings(all, cite) {
  if (!all.length) return null;
  return h("ul", { class: "findings" }, all.map((one) => {
    const level = one.severity === "critical" || one.severity === "warning" ? one.severity : "info";
    return h("li", { class: level }, h("span", { class: "level", role: "img", "aria-label": level }),
      h("span", {}, inline(one.text, cite), " ", (one.evidence || []).map((id) => cite(id))));
  }));
}
