/** Figures and moments as people read them. */

/** @type {Object<string, string>} */
const SIGNS = { celsius: "°C", hertz: "Hz", volts: "V", amperes: "A", watts: "W", meters: "m", grams: "g", euros: "€",
  joules: "J", requests: "req" };
/** @type {[number, string][]} */
const BINARY = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
/** @type {[number, string][]} */
const BITS = [[1e12, "Tbit"], [1e9, "Gbit"], [1e6, "Mbit"], [1e3, "kbit"], [1, "bit"]];
/** @type {[number, string][]} */
const SMALL = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
/** @type {[number, string][]} */
const LONG = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
/** @type {[number, string][]} */
const MANY = [[1e12, "T"], [1e9, "G"], [1e6, "M"]];

/**
 * The value in its unit: 1.5 GiB, 230 ms, 12.3%, 45 req/s.
 * @param {number} value @param {string} [unit] @returns {string}
 */
export function figure(value, unit = "") {
  if (!Number.isFinite(value)) return "no number";
  if (unit === "timestamp") return moment(new Date(value * 1000).toISOString());
  let [base, per = ""] = unit.replace("/second", "/s").split("/");
  if (per === "s" && value && base !== "bytes" && base !== "bits") {
    const rates = /** @type {[number, string][]} */ ([[value, "s"], [value * 60, "min"], [value * 3600, "h"]]);
    [value, per] = rates.find(([rate]) => Math.abs(rate) >= 0.1) || rates[2];
  }
  return amount(value, base) + (per ? `/${per}` : "");
}

/** @param {number} value @param {string} base */
function amount(value, base) {
  if (base === "bytes") return scaled(value, BINARY);
  if (base === "bits") return scaled(value, BITS);
  if (base === "seconds" || base === "milliseconds") return duration(base === "seconds" ? value : value / 1000);
  if (base === "ratio" || base === "percent") return `${percent(base === "ratio" ? value * 100 : value)}%`;
  const name = base === "1" ? "" : SIGNS[base] || base;
  return many(value) + (name ? ` ${name}` : "");
}

/** @param {number} value @param {[number, string][]} scale */
function scaled(value, scale) {
  const [size, name] = scale.find(([one]) => Math.abs(value) >= one * 0.9995) || scale[scale.length - 1];
  return `${number(value / size)} ${name}`;
}

/** @param {number} seconds @returns {string} */
export function duration(seconds) {
  if (!seconds) return "0 s";
  if (Math.abs(seconds) < 60) return scaled(seconds, SMALL);
  let left = Math.round(Math.abs(seconds));
  /** @type {string[]} */
  const parts = [];
  for (const [length, name] of LONG) {
    const count = Math.floor(left / length);
    left %= length;
    if (count || parts.length) parts.push(count ? `${count} ${name}` : "");
  }
  return (seconds < 0 ? "-" : "") + parts.slice(0, 2).filter(Boolean).join(" ");
}

/** @param {number} value */
function percent(value) {
  // Three digits would make a whole of 99.97%.
  return Math.abs(value) > 99 && Math.abs(value) < 100 ? String(Math.floor(value * 100) / 100) : number(value);
}

/** @param {number} value */
function many(value) {
  const step = Math.abs(value) < 1e6 ? undefined : MANY.find(([size]) => Math.abs(value) >= size);
  return step ? number(value / step[0]) + step[1] : number(value);
}

/** Three digits that count, and every digit of a whole number. @param {number} value */
function number(value) {
  if (!value) return "0";
  if (Math.abs(value) >= 1e15) return value.toPrecision(3);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const digits = Math.min(Math.max(2 - Math.floor(Math.log10(Math.abs(value))), 0), 12);
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** @param {string | Date} at @param {Intl.DateTimeFormatOptions} options */
const told = (at, options) => new Intl.DateTimeFormat("en-GB", options).format(new Date(at));

/** A moment with its day. @param {string} at @returns {string} */
export function moment(at) {
  if (Number.isNaN(Date.parse(at))) return String(at);
  const seconds = new Date(at).getSeconds() ? /** @type {const} */ ("2-digit") : undefined;
  return told(at, { weekday: "short", day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit", second: seconds });
}

/** The time of day. @param {string | Date} at */
export const clock = (at) => told(at, { hour: "2-digit", minute: "2-digit" });

/** When something was, briefly: the time today, else the day. @param {string} at */
export function day(at) {
  const then = new Date(at), today = new Date();
  if (then.toDateString() === today.toDateString()) return clock(at);
  const same = then.getFullYear() === today.getFullYear();
  return told(at, { day: "numeric", month: "short", year: same ? undefined : "numeric" });
}

/** What follows for people from the zone of this browser. */
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * A cell of a table.
 * @param {any} cell @param {string} [unit] @returns {string}
 */
export function cell(cell, unit = "") {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (unit === "time") return moment(String(cell));
  if (typeof cell === "number" && (unit || !Number.isInteger(cell))) return figure(cell, unit);
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

/** Plain data as lines. @param {any} data @param {string} [indent] @returns {string} */
export function readable(data, indent = "") {
  if (Array.isArray(data)) return data.map((one) => `${indent}- ${readable(one, `${indent}  `).trimStart()}`).join("\n");
  if (data && typeof data === "object") {
    return Object.entries(data)
      .map(([name, one]) => one && typeof one === "object" && Object.keys(one).length
        ? `${indent}${name}:\n${readable(one, `${indent}  `)}` : `${indent}${name}: ${inline(one)}`)
      .join("\n");
  }
  return indent + inline(data);
}

/** @param {any} one */
const inline = (one) => (one && typeof one === "object" ? JSON.stringify(one) : one === null ? "–" : String(one));
