// A bound typed as one line: drawn and plotted as one types, decided on demand. What it means, what
// is wrong with it and every number come from the server.

import { byId, download, el } from "./dom.js";
import { control } from "./jobs.js";
import { plot } from "./plot.js";
import { verdict } from "./theory.js";

let ask, table, flying = false, sequence = 0, drawn = null;
const simulated = new Map(); // by policy and instance: what the server said last

export function initialise(post, asked, changed) {
  ask = post;
  table = () => asked().table;
  byId("line").addEventListener("input", () => { changed(byId("line").value); show(); });
  control("decide", "Decide it", () => ({ line: byId("line").value }), trouble, {
    begun: () => byId("tried").replaceChildren(),
    done: (found) => { decided(found); return "Done."; },
  });
}

/** Ask what the line says; while an answer is on its way only the newest text waits for it. */
export async function show() {
  sequence += 1;
  byId("line").dataset.state = "waiting";
  if (flying) return;
  flying = true;
  let asked;
  do {
    asked = sequence;
    const found = await ask("api/line", { line: byId("line").value, table: table() });
    trouble(found.error ?? null);
    drawn = found.done ?? drawn;
    if (found.done) understood(found.done);
  } while (asked !== sequence);
  flying = false;
  byId("line").dataset.state = "ready";
  if (drawn) beside(drawn);
}

function trouble(error) {
  byId("line-error").textContent = error ? error.message : "";
  if (error) byId("line").setAttribute("aria-invalid", "true");
  else byId("line").removeAttribute("aria-invalid");
  byId("line-drawn").classList.toggle("old", error !== null);
}

/** The formula is MathML that the server made of names and numbers it knows. */
function understood(found) {
  const parsed = new DOMParser().parseFromString(found.formula, "text/html");
  byId("line-drawn").replaceChildren(el("p", {}, found.subject),
    el("p", { class: "formula" }, [...parsed.querySelectorAll("math")].map((piece) => [document.adoptNode(piece), " "])),
    ...found.notes.map((note) => el("p", { class: "note" }, note)));
  picture(found);
}

/** The simulated regret of its policy, which stays the same while only the formula changes. */
async function beside(found) {
  if (found.policy === null || found.curve === null) return;
  const key = JSON.stringify([found.policy, found.instance, table()]);
  if (!simulated.has(key)) {
    simulated.set(key, null);
    const { done, error } = await ask("api/regret", { policy: found.policy, table: table() });
    if (!done) simulated.delete(key);
    else simulated.set(key, done);
    byId("line-told").textContent = error ? error.message : "";
  }
  if (drawn) picture(drawn);
}

function picture(found) {
  const { curve, policy } = found, container = byId("line-plot");
  if (!curve || curve.error) return container.replaceChildren(el("p", { class: "note" }, curve ? curve.error : ""));
  const runs = simulated.get(JSON.stringify([policy, found.instance, table()]));
  const against = (values) => curve.slots.map((slot, n) => [slot, values[n] ?? NaN, true]);
  const lines = [
    { name: "bound", series: 0, legend: [el("b", {}, "the bound"), found.asks ? " with 1 in the place of ?" : ""], points: against(curve.values) },
    { name: "most", series: "most", legend: "largest possible regret", points: against(curve.most) },
  ];
  if (runs) lines.push({ name: policy, series: "policy-1", legend: [el("b", {}, policy), ` simulated, mean of ${runs.runs} runs for each T`], points: runs.slots.map((slot, n) => [slot, runs.mean[n], true]) });
  plot(container, {
    label: `The bound, the largest possible regret${runs ? ` and the simulated regret of ${policy}` : ""} against T on ${found.instance}.`,
    x: { name: `T, on ${found.instance}`, log: true }, y: { name: "regret", log: true }, marks: [], lines,
  });
}

function decided(found) {
  const worst = found.worst && el("button", { type: "button", onclick: () => download("worst.toml", "application/toml", found.worst) }, "Download the worst instance");
  byId("tried").replaceChildren(el("p", {}, verdict(found.verdict)),
    el("ul", { class: "said" }, found.lines.map((line) => el("li", { class: line.startsWith("  ") ? "inner" : null }, line.trim()))), worst ?? "");
}
