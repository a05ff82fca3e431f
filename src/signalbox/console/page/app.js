/** The page: conversations on the left, the open one next to them. Addresses are `/`, `/t/<thread>` and
 * `/connections`; `?agent=NAME` asks one agent directly. */
import { api } from "./api.js";
import { Conversation } from "./conversation.js";
import { append, button, h, icon } from "./dom.js";
import { Threads } from "./threads.js";

const own = document.querySelector('meta[name="assistant"]')?.getAttribute("content") || "";
const threads = new Threads();
const main = h("main", { id: "main" });
const side = h("aside", { id: "side", "aria-label": "Conversations and settings" });
const menu = button({ class: "plain menu", "aria-label": "Conversations", "aria-expanded": "false", "aria-controls": "side", onclick: () => drawer(!document.body.classList.contains("side-open")) }, icon("menu"));
const signed = h("p", { class: "signed quiet" });

/** @param {boolean} isOpen */
function drawer(isOpen) {
  document.body.classList.toggle("side-open", isOpen);
  menu.setAttribute("aria-expanded", String(isOpen));
}

/** @param {string} path */
export function go(path) {
  if (location.pathname + location.hash !== path) history.pushState(null, "", path);
  route();
}

function route() {
  drawer(false);
  const [, thread] = location.pathname.match(/^\/t\/([^/]+)$/) || [];
  const named = thread ? decodeURIComponent(thread) : "";
  threads.choose(named);
  if (location.pathname === "/connections") void import("./connections.js").then(({ Connections }) => main.replaceChildren(new Connections()));
  else main.replaceChildren(new Conversation(named || newId(), new URLSearchParams(location.search).get("agent") || own, !named));
}

/** An id for a thread; `crypto.randomUUID` does not exist on pages without https. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
}

/** Switch between light and dark; by default, the system decides. */
function shade() {
  const isDark = document.documentElement.dataset.shade === "dark" || (!document.documentElement.dataset.shade && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.shade = isDark ? "light" : "dark";
  localStorage.setItem("signalbox-shade", document.documentElement.dataset.shade);
  document.dispatchEvent(new Event("shade"));
}

async function who() {
  const told = await api.me().catch(() => null);
  if (told) signed.replaceChildren("Signed in as ", h("b", { title: told.user_id }, told.name || told.user_id));
}

function build() {
  const kept = localStorage.getItem("signalbox-shade");
  if (kept) document.documentElement.dataset.shade = kept;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("shade")));
  const brand = h("a", { href: "/", class: "brand" }, h("span", { class: "lamps", "aria-hidden": "true" }, h("i"), h("i"), h("i")), "Signalbox");
  append(side, [
    h("div", { class: "side-head" }, brand, button({ class: "plain close", "aria-label": "Close", onclick: () => drawer(false) }, icon("close"))),
    h("a", { href: "/", class: "new" }, icon("plus"), "New conversation", h("kbd", {}, "N")),
    threads,
    h("footer", {}, signed, h("div", { class: "foot" },
      h("a", { href: "/connections", class: "plain" }, icon("plug"), "Connections"),
      button({ class: "plain", "aria-label": "Switch between dark and light", title: "Switch between dark and light", onclick: shade }, icon("shade")),
      button({ class: "plain", "aria-label": "Sign out", title: "Sign out", onclick: () => void api.signOut().then(() => location.assign("/")) }, icon("out")))),
  ]);
  document.body.replaceChildren(h("a", { href: "#question", class: "skip" }, "Skip to the question"), menu, side, h("div", { class: "shadow", onclick: () => drawer(false) }), main, h("div", { id: "announcer", class: "offscreen", role: "status" }));
  addEventListener("popstate", route);
  document.addEventListener("click", follow);
  document.addEventListener("go", (event) => go(/** @type {CustomEvent} */ (event).detail));
  document.addEventListener("keydown", keys);
  void who();
  route();
}

/** Open the page's own links without reloading it. @param {MouseEvent} event */
function follow(event) {
  const anchor = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
  if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(anchor.getAttribute("href") || "/");
}

/** `/` goes to the box, `n` starts a new conversation, Esc stops or closes; no letters while typing. @param {KeyboardEvent} event */
function keys(event) {
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  if (event.key === "Escape") {
    if (document.body.classList.contains("side-open")) drawer(false);
    else main.querySelector("sb-conversation")?.dispatchEvent(new Event("halt"));
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const box = /** @type {HTMLElement | null} */ (document.getElementById("question"));
  if (event.key === "/" && box) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "n") {
    event.preventDefault();
    go("/");
  }
}

build();
