"use strict";
(() => {
  const { texts, instruments, rows, names } = JSON.parse(document.getElementById("data").textContent);
  const list = document.getElementById("list");
  const more = document.getElementById("more");
  const status = document.getElementById("status");
  const search = document.getElementById("search");
  const unit = document.getElementById("unit");
  const sort = document.getElementById("sort");
  const buttons = [...document.querySelectorAll(".filters button")];
  const drawn = new Map();
  const STEP = 100;
  let tag = "", found = [], shown = 0, lowered = null, waiting = 0;

  // Tested text only ever becomes the text of a node.
  const el = (name, className, ...children) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };
  const svg = (name, attributes, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const has = (value) => value !== undefined && value !== null;
  const seconds = (value) => (value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(value < 10 ? 2 : 1)} s`);
  const dollars = (value) => `$${value === 0 || value >= 0.01 ? value.toFixed(2) : Number(value.toPrecision(2)).toFixed(Math.min(8, 1 - Math.floor(Math.log10(value))))}`;
  const WORDS = { pass: "passed", fail: "failed", inconclusive: "inconclusive", not_run: "not run" };
  const pill = (outcome) => el("span", `pill ${outcome}`, WORDS[outcome]);
  const pre = (at, className) => {
    const node = el("pre", className, texts[at]);
    node.dir = "auto";
    return node;
  };
  const part = (title, ...children) => el("div", "", el("h3", "", title), ...children);
  const fold = (title, build) => {
    const node = el("details", "fold", el("summary", "", title));
    node.addEventListener("toggle", () => node.children.length === 1 && node.append(build()));
    return node;
  };
  const facts = (pairs) => el("dl", "facts", ...pairs.flatMap(([name, text]) => [el("dt", "", name), el("dd", "", text)]));

  const said = (at, none) => (has(at) ? (texts[at] ? pre(at) : el("p", "nothing", "(empty)")) : el("p", "nothing", none));
  const toolCalls = (calls) => {
    if (!calls) return el("p", "nothing", "not recorded");
    if (!calls.length) return el("p", "nothing", "none called");
    return el("ol", "calls", ...calls.map((call) => el("li", "",
      el("b", "", texts[call.name]), pre(call.arguments, "code"),
      has(call.result) ? pre(call.result, "code") : null, has(call.error) ? pre(call.error, "code error") : null)));
  };
  const modelCalls = (calls) => {
    const head = ["model", "tokens in", "out", "latency", "cost", "finish"];
    const line = (call) => [texts[call.model], call.input, call.output, has(call.latency) ? seconds(call.latency) : "",
      has(call.cost) ? dollars(call.cost) : "", has(call.finish) ? texts[call.finish] : ""];
    return el("div", "scroll", el("table", "", el("thead", "", el("tr", "", ...head.map((text) => el("th", "", text)))),
      el("tbody", "", ...calls.map((call) => el("tr", "", ...line(call).map((text) => el("td", "", has(text) ? String(text) : "")))))));
  };
  const talk = (messages) => el("div", "talk", ...messages.map(([role, text]) =>
    el("div", texts[role] === "assistant" ? "assistant" : "", el("h4", "", texts[role]), pre(text))));
  const scoreBar = (result) => {
    const side = result.outcome === "pass" ? "pass" : "fail";
    const marks = [svg("rect", { class: "track", width: 60, height: 8, rx: 4 }), svg("rect", { class: side, width: 60 * result.score, height: 8, rx: 4 })];
    if (has(result.threshold)) marks.push(svg("rect", { class: "need", x: Math.min(58.5, 60 * result.threshold), width: 1.5, height: 8 }));
    return svg("svg", { viewBox: "0 0 60 8", "aria-hidden": "true" }, ...marks);
  };
  const measured = (one) => {
    const way = instruments[one.way];
    const pairs = Object.entries(way).map(([name, at]) => [name, texts[at]]);
    pairs.push(["requests", one.cached ? "none, from the cache" : String(one.requests)]);
    if (has(one.input) || has(one.output)) pairs.push(["tokens", `${has(one.input) ? one.input : "?"} in, ${has(one.output) ? one.output : "?"} out`]);
    if (has(one.cost)) pairs.push(["cost", dollars(one.cost)]);
    for (const note of one.notes || []) pairs.push(["note", texts[note]]);
    return facts(pairs);
  };
  const verdict = (result) => {
    const title = has(result.name) ? `${texts[result.label]}: ${texts[result.name]}` : texts[result.label];
    const top = el("div", "top", pill(result.outcome), el("b", "", title));
    if (has(result.score)) {
      const needed = has(result.threshold) ? `, needs ${result.threshold.toFixed(2)}` : "";
      top.append(el("span", "score", scoreBar(result), `${result.score.toFixed(2)}${needed}`));
    }
    return el("li", result.outcome, top, has(result.kind) ? el("div", "kind", texts[result.kind]) : null,
      has(result.detail) ? el("p", "", texts[result.detail]) : null,
      result.measured ? fold("How it was judged", () => el("div", "", ...result.measured.map(measured))) : null);
  };
  const spent = (side) => [has(side.latency) ? seconds(side.latency) : null, has(side.cost) ? dollars(side.cost) : null, ...(side.flags || [])]
    .filter(has).join(" · ");

  const evidence = (side) => el("div", "column",
    part("Asked", said(side.asked, "(unknown)")),
    has(side.error) ? part("Error", pre(side.error, "error")) : null,
    part("Reply", said(side.reply, "(none)")),
    has(side.model_text) ? part("The model's own text", pre(side.model_text)) : null,
    part("Tool calls", toolCalls(side.tools)),
    side.guardrails ? part("Guardrails", facts(side.guardrails.map(([name, passed, text]) => [texts[name], `${passed ? "passed" : "blocked"} ${texts[text]}`]))) : null,
    side.conversation ? fold(`Conversation, ${side.conversation.length} messages`, () => talk(side.conversation)) : null,
    side.models ? fold(`Model calls, ${side.models.length}`, () => modelCalls(side.models)) : null);
  const attempt = (side, whose) => {
    const title = whose === null ? null : el("h3", "whose", el("span", `letter ${whose ? "b" : "a"}`, whose ? "B" : "A"), " ", texts[names[whose]]);
    if (!side) return el("div", "attempt", title, el("p", "nothing", "This run has no such attempt."));
    if (side.left_out) return el("div", "attempt", title, el("p", "nothing", "Left out to keep this page small; report.json has it."));
    const results = side.results.length ? el("ul", "verdicts", ...side.results.map(verdict)) : el("p", "nothing", "none declared");
    const right = el("div", "column", part("Verdicts", results), spent(side) ? part("Spent", el("p", "", spent(side))) : null);
    return el("div", "attempt", title, ...(whose === null ? [evidence(side), right] : [right, evidence(side)]));
  };

  const reason = (side) => {
    const decisive = ((side && side.results) || []).find((one) => one.outcome === side.outcome && one.outcome !== "pass");
    if (!decisive) return side && has(side.reply) && side.outcome === "pass" ? texts[side.reply].slice(0, 200) : "";
    const name = texts[has(decisive.name) ? decisive.name : decisive.label];
    const detail = has(decisive.detail) ? texts[decisive.detail].slice(0, 300) : "";
    return detail.startsWith(name) ? detail : `${name}: ${detail}`;
  };
  const rowNode = (index) => {
    if (drawn.has(index)) return drawn.get(index);
    const row = rows[index];
    const pair = row.sides.length > 1;
    const last = row.sides[row.sides.length - 1] || row.sides[0];
    const title = el("span", "case", el("bdi", "", texts[row.id]), " ", el("small", "", `run ${row.run}`));
    const why = el("span", "reason", reason(last));
    why.dir = "auto";
    const summary = el("summary", "", ...row.sides.map((side) => (side ? pill(side.outcome) : el("span", "pill", "–"))), title, why);
    if (!pair) {
      summary.append(el("span", "num", has(last.quality) ? last.quality.toFixed(2) : ""), el("span", "num", has(last.latency) ? seconds(last.latency) : ""),
        el("span", "num", has(last.cost) ? dollars(last.cost) : ""));
    }
    const node = el("details", pair ? "row pair" : "row", summary);
    node.id = `row-${index}`;
    node.addEventListener("toggle", () => {
      if (!node.open) return;
      if (node.children.length === 1) node.append(el("div", "sides", ...row.sides.map((side, whose) => attempt(side, pair ? whose : null))));
      try { history.replaceState(null, "", `#attempt-${index}`); } catch { /* some viewers of files refuse it */ }
    });
    drawn.set(index, node);
    return node;
  };

  const matching = (words) => {
    lowered = lowered || texts.map((text) => text.toLowerCase());
    const sets = words.map((word) => lowered.map((text) => text.includes(word)));
    return (row) => sets.every((hits) => row.texts.some((at) => hits[at]));
  };
  const notPassed = (key) => (row) => row.sides.some((side) => side && (side.results || []).some((one) =>
    `${one.label},${has(one.name) ? one.name : ""}` === key && one.outcome !== "pass"));
  const largest = (row, name) => Math.max(...row.sides.map((side) => (side && has(side[name]) ? side[name] : -Infinity)));
  const ORDERS = {
    quality: (row) => Math.min(...row.sides.map((side) => (side && has(side.quality) ? side.quality : Infinity))),
    latency: (row) => -largest(row, "latency"),
    cost: (row) => -largest(row, "cost"),
  };

  const draw = (count) => {
    const until = Math.min(found.length, count);
    list.append(...found.slice(shown, until).map(rowNode));
    shown = until;
    more.hidden = shown >= found.length;
    status.textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} attempts`;
  };
  const update = () => {
    clearTimeout(waiting);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const tests = [];
    if (tag) tests.push((row) => row.tags.includes(tag));
    if (unit.value) tests.push(notPassed(unit.value));
    if (words.length) tests.push(matching(words));
    found = rows.map((_, index) => index).filter((index) => tests.every((test) => test(rows[index])));
    const order = ORDERS[sort.value];
    if (order) {
      const keys = new Map(found.map((index) => [index, order(rows[index])]));
      found.sort((a, b) => (keys.get(a) === keys.get(b) ? a - b : keys.get(a) < keys.get(b) ? -1 : 1));
    }
    list.replaceChildren();
    shown = 0;
    draw(STEP);
  };
  const choose = (wanted) => {
    tag = wanted;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.tag === tag));
  };
  const reset = () => {
    choose("");
    search.value = unit.value = sort.value = "";
    update();
  };
  const open = (index) => {
    if (!rows[index]) return;
    clearTimeout(waiting);
    if (!found.includes(index)) reset();
    const place = found.indexOf(index);
    if (place >= shown) draw(Math.ceil((place + 1) / STEP) * STEP);
    const node = rowNode(index);
    node.open = true;
    node.scrollIntoView({ block: "start" });
    node.firstElementChild.focus({ preventScroll: true });
  };
  const follow = () => {
    const match = /^#attempt-(\d+)$/.exec(location.hash);
    if (match) open(Number(match[1]));
  };
  const step = (by) => {
    const heads = [...list.children].map((node) => node.firstElementChild);
    const at = heads.findIndex((head) => head.parentNode.contains(document.activeElement));
    const next = at < 0 ? (by > 0 ? 0 : heads.length - 1) : at + by;
    if (next >= heads.length && !more.hidden) { draw(shown + STEP); step(by); return; }
    if (heads[next]) heads[next].focus();
  };

  const units = new Map();
  for (const row of rows) for (const side of row.sides) for (const one of (side && side.results) || []) {
    const key = `${one.label},${has(one.name) ? one.name : ""}`;
    if (!units.has(key)) units.set(key, has(one.name) ? `${texts[one.label]}: ${texts[one.name]}` : texts[one.label]);
  }
  for (const [key, text] of [...units].slice(0, 500)) {
    const option = el("option", "", text.length > 80 ? `${text.slice(0, 79)}…` : text);
    option.value = key;
    unit.append(option);
  }
  for (const button of buttons) button.addEventListener("click", () => { choose(button.dataset.tag); update(); });
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(update, 120); });
  unit.addEventListener("change", update);
  sort.addEventListener("change", update);
  more.addEventListener("click", () => draw(shown + STEP));
  document.addEventListener("click", (event) => {
    const row = event.target.dataset && event.target.dataset.row;
    if (row !== undefined) open(Number(row));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape") { reset(); event.target.blur(); }
    else if (typing) return;
    else if (event.key === "/") { event.preventDefault(); search.focus(); search.select(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
  window.addEventListener("hashchange", follow);
  document.getElementById("controls").hidden = false;
  document.getElementById("keys").hidden = false;
  update();
  follow();
})();
