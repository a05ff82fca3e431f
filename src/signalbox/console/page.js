() => {
  // What a person has opened stays open when a turn is drawn anew, and what was closed stays closed.
  const folds = new Map();
  document.addEventListener("toggle", (event) => {
    const key = event.target.dataset?.key;
    if (key) folds.set(key, event.target.open);
  }, true);
  const seconds = () => document.querySelectorAll(".elapsed").forEach((one) => {
    const text = `${Math.max(0, Math.round((Date.now() - one.dataset.since) / 1000))} s`;
    if (one.textContent !== text) one.textContent = text;  // A change is drawn, and would be looked at again.
  });
  // A button's text would stand in its middle, as high as the longest: in parts, the names are level with each other.
  const cards = () => document.querySelectorAll("#examples .example:not(:has(b))").forEach((one) => {
    const [name, ...rest] = one.textContent.trim().split("\n");
    const [head, text] = [document.createElement("b"), document.createElement("span")];
    head.textContent = name;
    text.textContent = rest.join(" ").replaceAll("-", "\u2011");
    one.replaceChildren(head, text);
  });
  let turn = "";
  const drawn = () => {
    cards();
    document.querySelectorAll("details[data-key]").forEach((one) => {
      const open = folds.get(one.dataset.key);
      if (open !== undefined && open !== one.open) one.open = open;
    });
    seconds();
    const latest = document.querySelector("#current .turn");
    if (latest && latest.dataset.turn !== turn) {
      turn = latest.dataset.turn;
      if (document.querySelector("#earlier .turn")) latest.scrollIntoView({ block: "start" });
    }
  };
  new MutationObserver(drawn).observe(document.body, { childList: true, subtree: true });
  setInterval(seconds, 1000);

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without TLS a browser has no clipboard for scripts.
      const area = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  document.addEventListener("click", async (event) => {
    const copied = event.target.closest("[data-copy]");
    if (copied) {
      await copy(copied.dataset.copy);
      copied.textContent = "Copied";
      setTimeout(() => { copied.textContent = "Copy"; }, 1500);
    }
    const cited = event.target.closest("[data-opens]");
    if (cited) {
      const answer = cited.closest(".answer");
      const found = answer.querySelector(`[data-evidence="${cited.dataset.opens}"]`);
      answer.querySelector("details.evidence").open = true;
      found.open = true;
      found.querySelector("summary").focus();
      found.scrollIntoView({ block: "center" });
    }
  });

  const visible = (id) => {
    const found = document.getElementById(id);
    return found && found.offsetParent ? found : null;
  };
  document.addEventListener("keydown", (event) => {
    const typing = /INPUT|TEXTAREA|SELECT/.test(event.target.tagName);
    if (event.key === "Escape") visible("stop")?.click();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      document.querySelector("#question textarea")?.focus();
    }
    if (event.key === "n") visible("new")?.click();
  });
  // On a phone a conversation that was chosen is what one wants to see, and not the list.
  const leave_list = () => {
    if (window.innerWidth < 700) document.querySelector("#side.open .toggle-button")?.click();
  };
  leave_list();
  document.addEventListener("change", (event) => { if (event.target.closest("#threads")) leave_list(); });
  document.addEventListener("click", (event) => { if (event.target.closest("#new")) leave_list(); });

  const shade = (is_dark) => document.body.classList.toggle("dark", is_dark);
  const chosen = localStorage.getItem("signalbox-shade");
  if (chosen) shade(chosen === "dark");
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#shade")) return;
    shade(!document.body.classList.contains("dark"));
    localStorage.setItem("signalbox-shade", document.body.classList.contains("dark") ? "dark" : "light");
  });
}
