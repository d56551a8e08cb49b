// The page: its state, which is in its address, and the one question that is asked of the server
// whenever something changes. While an answer is on its way only the newest change waits for it.

import { byId, download, el, showDigits } from "./dom.js";
import * as fields from "./fields.js";
import * as jobs from "./jobs.js";
import * as line from "./line.js";
import * as theory from "./theory.js";

const root = document.documentElement;
let start, state, answer = null;

const fresh = (name) => ({
  table: structuredClone(start.instances[name]), horizon: start.question.horizon, delta: start.question.delta, arm: null,
  policies: [], slots: "1e5", runs: "40", seed: "0", line: "regret(ucb1) <= 8*sum(log(T)/gap, worse) + (1 + pi^2/3)*sum(gap)",
});

// -- the address -----------------------------------------------------------------------------

function written() {
  return "#" + encodeURIComponent(JSON.stringify(state));
}

/** The state that a link holds; one that was cut or belongs to something else is left alone. */
function read(hash) {
  try {
    const found = JSON.parse(decodeURIComponent(hash.slice(1)));
    if (Array.isArray(found?.table?.capacities)) return { ...fresh(first()), ...found };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof URIError)) throw error;
  }
  return null;
}

const first = () => ("paper" in start.instances ? "paper" : Object.keys(start.instances)[0]);
let saving = 0;

function saveSoon() {
  clearTimeout(saving);
  saving = setTimeout(() => history.replaceState(null, "", written()), 300);
}

// -- asking ----------------------------------------------------------------------------------

let flying = false, sequence = 0;

function changed() {
  sequence += 1;
  root.dataset.state = "waiting";
  saveSoon();
  if (!flying) ask();
}

async function ask() {
  flying = true;
  let asked;
  do {
    asked = sequence;
    const found = await post("api/answer", question());
    mark(found.error ?? null);
    if (found.done) show(found.done);
  } while (asked !== sequence);
  flying = false;
  root.dataset.state = "ready";
  if (!byId("answers").matches(".stale")) askCurves(asked);
}

const question = () => ({ table: state.table, question: { horizon: state.horizon, delta: state.delta } });

/** Plots can wait for the numbers, and who goes on typing does not need them. */
async function askCurves(asked) {
  const { done } = await post("api/curves", { ...question(), arm: state.arm });
  if (!done || asked !== sequence) return;
  theory.showCurves(done, answer);
  line.show();
  const arms = state.table.capacities.map((_, k) => el("option", { value: k + 1, selected: k + 1 === done.sizes?.arm }, theory.called(k + 1)));
  const shown = (options) => [...options].map((option) => option.text).join("\n");
  if (shown(byId("arm").options) !== shown(arms) || byId("arm").value !== String(done.sizes?.arm)) byId("arm").replaceChildren(...arms);
  root.dataset.plotted = asked;
}

async function post(path, body) {
  try {
    const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return await response.json();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    return { error: { field: "", message: "The server does not answer: is `boundcheck serve` still running?" } };
  }
}

function show(found) {
  answer = found;
  theory.show(found);
  if (document.activeElement !== byId("exponent")) byId("exponent").value = found.exponent;
  byId("exponent").setAttribute("aria-valuetext", `T = ${found.horizon[0]}`);
  const applying = found.bounds.filter((bound) => bound.applies && !bound.refuted).length;
  tell(`${found.about}. ${applying} of ${found.bounds.length} bounds apply at T = ${found.horizon[0]}.`);
}

let telling = 0;

/** At once for the eye; for a screen reader when the typing has stopped. */
function tell(line) {
  clearTimeout(telling);
  telling = setTimeout(() => { byId("status").textContent = line; }, 400);
}

// -- what is wrong ---------------------------------------------------------------------------

/** The message at its field, or above everything if there is none. */
function mark(error) {
  for (const node of document.querySelectorAll("[aria-invalid]")) {
    node.removeAttribute("aria-invalid");
    node.removeAttribute("aria-describedby");
  }
  byId("field-error")?.remove();
  byId("trouble").hidden = true;
  const stale = error !== null && !["slots", "runs", "seed", "policy", "leap", "toml"].includes(error.field);
  byId("answers").classList.toggle("stale", stale);
  if (stale) tell("Showing the last valid instance.");
  if (!error) return;
  const node = [...document.querySelectorAll("[data-field]")].find((field) => field.dataset.field === error.field);
  if (!node) {
    byId("trouble").textContent = error.message;
    byId("trouble").hidden = false;
    return;
  }
  node.setAttribute("aria-invalid", "true");
  node.setAttribute("aria-describedby", "field-error");
  const words = el("p", { class: "error", id: "field-error", role: "alert" }, error.message);
  const row = node.closest("tr");
  if (row) row.after(el("tr", { id: "field-error" }, el("td", { colspan: row.children.length }, words)));
  else (node.closest(".field") ?? node).append(words);
  if (row) words.removeAttribute("id");
  if (node.matches("table")) node.after(words);
}

// -- the page --------------------------------------------------------------------------------

function showState() {
  fields.show(state.table);
  for (const id of ["horizon", "delta", "slots", "runs", "seed", "line"]) byId(id).value = state[id];
  byId("shipped").value = Object.keys(start.instances).find((name) => JSON.stringify(start.instances[name]) === JSON.stringify(state.table)) ?? "";
}

function load(found) {
  state = found;
  showState();
  changed();
}

/** A power of ten as it is typed: 6.3 is 2.00e6. */
function power(exponent) {
  const whole = Math.floor(exponent), part = exponent - whole;
  return part < 1e-9 ? `1e${whole}` : `${(10 ** part).toFixed(2)}e${whole}`;
}

function listen() {
  for (const id of ["horizon", "delta"]) byId(id).addEventListener("input", (event) => { state[id] = event.target.value; changed(); });
  byId("exponent").addEventListener("input", (event) => { state.horizon = byId("horizon").value = power(Number(event.target.value)); changed(); });
  byId("arm").addEventListener("change", (event) => { state.arm = Number(event.target.value); changed(); });
  byId("shipped").addEventListener("change", (event) => { state.table = structuredClone(start.instances[event.target.value]); state.arm = null; load(state); });
  byId("exact").addEventListener("change", (event) => showDigits(event.target.checked));
  byId("toml").addEventListener("click", () => answer && download(`${state.table.name || "instance"}.toml`, "application/toml", answer.toml));
  byId("copy").addEventListener("click", async () => {
    history.replaceState(null, "", written());
    await navigator.clipboard?.writeText(location.href); // there is none on an address that others reach
    tell(navigator.clipboard ? "The link is copied." : "The address of this page is the link.");
  });
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("answers").focus(); });
  byId("use-pasted").addEventListener("click", usePasted);
  addEventListener("hashchange", () => { const found = read(location.hash); if (found) load(found); });
}

async function usePasted() {
  const text = byId("pasted").value;
  if (!text.trim()) return;
  if (text.includes("=")) {
    const found = await post("api/read", { toml: text });
    if (found.error) return mark({ ...found.error, field: "toml" });
    state.table = found.done.table;
    load(state);
  } else fields.useRows(fields.spreadsheet(text));
  byId("paste").open = false;
}

/** Links that scroll; the address is for the state. */
function showParts() {
  const links = [...document.querySelectorAll("h2")].map((head) => el("a", {
    href: "", onclick: (event) => { event.preventDefault(); head.closest("section").scrollIntoView({ behavior: "smooth" }); head.tabIndex = -1; head.focus({ preventScroll: true }); },
  }, head.textContent));
  document.querySelector("nav").append(...links);
}

async function begin() {
  const response = await fetch("api/start");
  const found = await response.json();
  if (found.error) return mark(found.error);
  start = found.done;
  byId("shipped").append(el("option", { value: "", disabled: true }, "(your own)"), ...Object.keys(start.instances).map((name) => el("option", {}, name)));
  fields.initialise(start, changed, () => [...answer.optimum.arms].sort((a, b) => a.arm - b.arm).map((arm) => String(arm.mean)));
  theory.initialise(start);
  state = read(location.hash) ?? fresh(first());
  const settings = () => ({ policies: state.policies, slots: state.slots, runs: state.runs, seed: state.seed });
  jobs.initialise(question, settings, mark, () => {
    for (const id of ["slots", "runs", "seed"]) state[id] = byId(id).value;
    state.policies = [...byId("policies").querySelectorAll("input:checked")].map((box) => box.value);
    saveSoon();
  });
  line.initialise(post, question, (text) => { state.line = text; saveSoon(); });
  listen();
  showParts();
  load(state);
  jobs.showPolicies(state.policies);
}

begin();
