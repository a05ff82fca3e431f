/** Curves over time: hover, zoom, series on and off, the threshold, and the query. Plotly's script comes with the first. */
import { append, button, h, s } from "./dom.js";
import { figure, moment } from "./format.js";
import { query } from "./query.js";

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").Curve} Line */

const MOST_CURVES = 60;
const COLOURS = 8;
/** @type {Promise<any> | null} */
let loading = null;

/** Plotly, fetched once. @returns {Promise<any>} */
function plotly() {
  loading ??= new Promise((resolve, reject) => {
    // Found under this name, it keeps Plotly from writing a style sheet of its own into the page.
    document.head.appendChild(h("link", { rel: "stylesheet", href: "/page/plotly.css", id: "plotly.js-style-global", class: "no-inline-styles" }));
    const script = /** @type {HTMLScriptElement} */ (h("script", { src: "/page/plotly.min.js" }));
    script.addEventListener("load", () => resolve(/** @type {any} */ (window).Plotly));
    script.addEventListener("error", () => {
      loading = null;
      reject(new Error("Plotly's script could not be loaded."));
    });
    document.head.appendChild(script);
  });
  return loading;
}

export class Curve extends HTMLElement {
  /** @param {Block} block */
  constructor(block = { type: "series" }) {
    super();
    this.block = block;
    /** @type {Line[]} */
    this.curves = (block.series || []).slice(0, MOST_CURVES);
    this.hiddenCurves = new Set();
    /** @type {any} */
    this.plotly = null;
    this.plot = h("div", { class: "plot", role: "img", "aria-label": this.summary() });
    this.redraw = () => void this.draw();
    /** @type {number | undefined} */
    this.rest = undefined;
  }

  connectedCallback() {
    if (!this.firstChild) {
      const left = (this.block.series || []).length - this.curves.length;
      this.plot.appendChild(spark(this.curves.map((one) => one.points), 800, 240, "sketch"));
      append(this, [this.plot, this.legend(), left > 0 ? h("p", { class: "quiet" }, `… and ${left} more curves, which the data holds`) : null, query(this.block)]);
    }
    document.addEventListener("shade", this.redraw);
    // A chart is drawn only when it stays in view; until then a sketch is shown.
    this.watching = new IntersectionObserver((seen) => {
      clearTimeout(this.rest);
      if (seen[seen.length - 1].isIntersecting) this.rest = setTimeout(() => this.begin(), 150);
    });
    this.watching.observe(this);
  }

  begin() {
    this.watching?.disconnect();
    plotly().then((found) => { this.plotly = found; return this.draw(); }).catch((error) => console.warn(error));
  }

  disconnectedCallback() {
    clearTimeout(this.rest);
    this.watching?.disconnect();
    document.removeEventListener("shade", this.redraw);
    this.plotly?.purge(this.plot);
  }

  /** The description for screen readers. */
  summary() {
    const told = this.curves.slice(0, 5).map((one) => {
      const known = statistics(one);
      return known ? `${one.name || this.block.title}: between ${this.value(known.min)} and ${this.value(known.max)}, at the end ${this.value(known.last)}` : `${one.name}: no data`;
    });
    return `Curve. ${told.join(". ")}`;
  }

  /** @param {number} one */
  value(one) {
    return figure(one, this.block.unit);
  }

  legend() {
    const head = h("tr", {}, ["", "min", "mean", "max", "last"].map((one) => h("th", { scope: "col" }, one)));
    const rows = this.curves.map((one, place) => {
      const swatch = h("span", { class: `swatch c${place % COLOURS}`, "aria-hidden": "true" });
      const pressed = button({ class: "series-name", "aria-pressed": "true", title: "Show or hide" }, swatch, this.nameOf(one));
      pressed.addEventListener("click", () => this.toggle(place, pressed));
      const known = statistics(one);
      const cells = known ? [known.min, known.mean, known.max, known.last].map((value) => h("td", { class: "number" }, this.value(value))) : [h("td", { class: "quiet", colspan: 4 }, "no data")];
      return h("tr", {}, h("th", { scope: "row" }, pressed), cells);
    });
    return h("div", { class: "scrolls legend", tabindex: 0, role: "region", "aria-label": "Series" },
      h("table", {}, h("thead", {}, head), h("tbody", {}, rows)));
  }

  /** @param {Line} one */
  nameOf(one) {
    return this.curves.length > 1 ? one.name || "value" : this.block.title || one.name || "value";
  }

  /** @param {number} place @param {HTMLElement} pressed */
  toggle(place, pressed) {
    if (!this.hiddenCurves.delete(place)) this.hiddenCurves.add(place);
    pressed.setAttribute("aria-pressed", String(!this.hiddenCurves.has(place)));
    void this.draw();
  }

  async draw() {
    if (!this.plotly || !this.isConnected) return;
    const look = getComputedStyle(this);
    const colour = (/** @type {string} */ name) => look.getPropertyValue(name).trim();
    const axis = scaleOf(this.block.unit || "", this.most());
    const traces = this.curves.map((one, place) => this.trace(one, place, colour(`--c${place % COLOURS}`), axis));
    const marks = this.marks(axis, colour("--warning"));
    const layout = this.layout(axis, colour);
    if (this.plot.querySelector(".sketch")) this.plot.replaceChildren();
    await this.plotly.react(this.plot, marks ? [...traces, marks] : traces, layout, { displayModeBar: false, responsive: true, doubleClick: "reset", showTips: false });
  }

  most() {
    let most = Math.abs(this.block.threshold || 0);
    for (const one of this.curves) for (const [, value] of one.points) if (Math.abs(value) > most) most = Math.abs(value);
    return most;
  }

  /** @param {Line} one @param {number} place @param {string} colour @param {{size: number}} axis */
  trace(one, place, colour, axis) {
    const shift = this.block.overlaid && one.points.length ? Date.parse(this.curves[0].points[0][0]) - Date.parse(one.points[0][0]) : 0;
    return {
      type: "scatter", mode: one.points.length === 1 ? "markers" : "lines", name: this.nameOf(one).slice(0, 60),
      x: one.points.map(([at]) => wall(Date.parse(at) + shift)), y: one.points.map(([, value]) => (value === null ? null : value / axis.size)),
      text: one.points.map(([, value]) => (value === null ? "" : this.value(value))),
      hovertemplate: "%{text}", line: { color: colour, width: 1.75 }, marker: { color: colour },
      visible: this.hiddenCurves.has(place) ? "legendonly" : true,
    };
  }

  /** @param {{size: number}} axis @param {string} colour */
  marks(axis, colour) {
    const marks = this.block.marks || [];
    if (!marks.length) return null;
    return {
      type: "scatter", mode: "markers", name: "", x: marks.map((/** @type {any} */ one) => wall(Date.parse(one.at))),
      y: marks.map((/** @type {any} */ one) => one.value / axis.size), text: marks.map((/** @type {any} */ one) => one.text),
      hovertemplate: "%{text}", marker: { color: colour, size: 9, symbol: "circle-open", line: { width: 2 } },
    };
  }

  /** @param {{suffix: string, size: number}} axis @param {(name: string) => string} colour */
  layout(axis, colour) {
    const { threshold, bands = [], range } = this.block;
    const line = { color: colour("--line"), width: 1 };
    const shapes = bands.map((/** @type {any} */ one) => ({
      type: "rect", xref: "x", yref: "paper", x0: wall(Date.parse(one.start)), x1: wall(Date.parse(one.end)), y0: 0, y1: 1,
      fillcolor: colour("--warning"), opacity: 0.14, line: { width: 0 }, layer: "below",
    }));
    const annotations = bands.map((/** @type {any} */ one) => ({
      x: wall((Date.parse(one.start) + Date.parse(one.end)) / 2), xref: "x", y: 1, yref: "paper", yanchor: "top",
      text: escape(one.text || ""), showarrow: false, font: { size: 11, color: colour("--quiet") },
    }));
    if (typeof threshold === "number") {
      const y = threshold / axis.size;
      shapes.push({ type: "line", xref: "paper", x0: 0, x1: 1, yref: "y", y0: y, y1: y, line: { color: colour("--critical"), width: 1.5, dash: "dash" } });
      annotations.push({ x: 1, xref: "paper", xanchor: "right", y, yref: "y", yanchor: "bottom", text: `threshold ${this.value(threshold)}`, showarrow: false, font: { size: 11, color: colour("--critical") } });
    }
    const grid = { gridcolor: colour("--line"), linecolor: colour("--line"), zerolinecolor: colour("--line"), tickfont: { size: 11 }, automargin: true, fixedrange: false };
    return {
      height: this.clientWidth < 480 ? 220 : 280, margin: { l: 8, r: 10, t: 12, b: 24 }, showlegend: false,
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", hovermode: this.curves.length > 8 ? "closest" : "x unified",
      font: { family: getComputedStyle(this).fontFamily, size: 12, color: colour("--quiet") },
      hoverlabel: { bgcolor: colour("--raised"), bordercolor: colour("--line"), font: { color: colour("--ink"), size: 12 } },
      xaxis: { ...grid, type: "date", ...(range && !this.block.overlaid ? { range: range.map((/** @type {string} */ at) => wall(Date.parse(at))) } : {}), showgrid: false, line },
      yaxis: { ...grid, ticksuffix: axis.suffix, rangemode: "tozero", nticks: 6, fixedrange: false },
      dragmode: "zoom", shapes, annotations, uirevision: "kept",
    };
  }
}
customElements.define("sb-curve", Curve);

/** Plotly takes a few tags in texts; data has none. @param {string} text */
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Local time, because Plotly knows no time zones. @param {number} at */
function wall(at) {
  const then = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return Number.isNaN(then.getTime()) ? null : then.toISOString().replace("Z", "");
}

/** @param {Line} line */
function statistics(line) {
  const values = line.points.map(([, value]) => value).filter((value) => Number.isFinite(value));
  if (!values.length) return null;
  let min = Infinity, max = -Infinity, sum = 0;
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  return { min, max, mean: sum / values.length, last: values[values.length - 1] };
}

/** The divisor and the unit of an axis. @param {string} unit @param {number} most */
function scaleOf(unit, most) {
  const [base, per = ""] = unit.replace("/second", "/s").split("/");
  const after = per ? `/${per}` : "";
  /** @type {Object<string, [number, string][]>} */
  const scales = {
    bytes: [[2 ** 40, " TiB"], [2 ** 30, " GiB"], [2 ** 20, " MiB"], [2 ** 10, " KiB"], [1, " B"]],
    bits: [[1e12, " Tbit"], [1e9, " Gbit"], [1e6, " Mbit"], [1e3, " kbit"], [1, " bit"]],
    seconds: [[172800, " d"], [7200, " h"], [120, " min"], [1, " s"], [1e-3, " ms"], [1e-6, " µs"], [1e-9, " ns"]],
    milliseconds: [[1000, " s"], [1, " ms"]],
    ratio: [[0, "%"]],
    percent: [[0, "%"]],
  };
  const [size, name] = (scales[base] || [[1e12, "T"], [1e9, "G"], [1e6, "M"], [0, ""]]).find(([one]) => most >= one) || [1, ""];
  const days = { " d": 86400, " h": 3600, " min": 60 }[name];
  return { size: base === "ratio" ? 0.01 : days || size || 1, suffix: name + after };
}

/**
 * A small curve without axes.
 * @param {[string, number][][]} curves @param {number} width @param {number} height @param {string} kind
 * @param {[number, number]} [span]
 */
export function spark(curves, width, height, kind, span) {
  const points = curves.flat().filter(([, value]) => Number.isFinite(value));
  const made = s("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: kind, "aria-hidden": "true" });
  if (!points.length) return made;
  let most = -Infinity, least = 0, first = Infinity, last = -Infinity;
  for (const [at, value] of points) {
    const then = Date.parse(at);
    most = Math.max(most, value);
    least = Math.min(least, value);
    first = Math.min(first, then);
    last = Math.max(last, then);
  }
  const [from, to] = span || [first, last];
  const x = (/** @type {string} */ at) => ((Date.parse(at) - from) / (to - from || 1)) * width;
  const y = (/** @type {number} */ value) => height - 2 - ((value - least) / (most - least || 1)) * (height - 4);
  curves.forEach((curve, place) => {
    const drawn = curve.filter(([, value]) => Number.isFinite(value)).map(([at, value]) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
    if (drawn.length) made.appendChild(s("path", { d: `M${drawn.join("L")}`, class: `c${place % COLOURS}` }, s("title", {}, moment(curve[0][0]))));
  });
  return made;
}
