// What happens: jobs that tell how far they are, for as long as this page listens.

import { byId, download, el, number } from "./dom.js";
import { plot } from "./plot.js";
import { claim, regretLines, verdict } from "./theory.js";

export function initialise(asked, settings, mark, changed) {
  control("simulate", "Simulate", () => ({ ...asked(), ...settings() }), mark, {
    begun: () => byId("simulated").replaceChildren(),
    done: simulated,
  });
  let count = 0;
  control("verify", "Verify", asked, mark, {
    begun: () => { byId("verdicts").hidden = true; byId("verdicts").tBodies[0].replaceChildren(); count = 0; },
    told: (message) => {
      for (const found of message.verdicts ?? []) {
        byId("verdicts").hidden = false;
        byId("verdicts").tBodies[0].append(verdictRow(found));
        count += 1;
      }
      return `${count} claims decided`;
    },
    done: (found) => `${count} claims in ${found.statements} statements: ${found.refuted} refuted`,
  });
  control("report", "Make the report", asked, mark, {
    begun: () => byId("reported").replaceChildren(),
    done: (found) => {
      byId("reported").replaceChildren(el("button", { type: "button", onclick: () => download(found.name, "text/html", found.html) }, `Download ${found.name}`));
      return "The report is ready.";
    },
  });
  for (const id of ["slots", "runs", "seed"]) byId(id).addEventListener("input", changed);
  byId("policies").addEventListener("change", changed);
}

export async function showPolicies(chosen) {
  const response = await fetch("api/policies");
  const { done, error } = await response.json();
  const rows = error ? [el("p", { class: "error" }, error.message)] : done.map((policy) =>
    el("label", { class: "choice", title: `must be told: ${policy.told}` },
      el("input", { type: "checkbox", value: policy.policy, checked: chosen.includes(policy.policy) }),
      el("span", {}, el("b", {}, policy.policy), el("span", { class: "title" }, policy.title, policy.leaps ? "; leaps" : ""))));
  byId("policies").replaceChildren(byId("policies").firstElementChild, ...rows);
  if (!chosen.length) byId("policies").querySelector("input")?.click();
}

/** A button that starts a job, another that ends it, and how far it is. */
export function control(work, words, request, mark, { begun, told = () => "", done }) {
  const go = el("button", { type: "button", class: "main" }, words);
  const stop = el("button", { type: "button", hidden: true }, "Cancel");
  const share = el("progress", { max: 1, value: 0, hidden: true, "aria-label": words });
  const state = el("span", { class: "told", role: "status", "aria-live": "polite" });
  byId(work).replaceChildren(go, stop, share, state);
  let running = null;
  const ended = (line) => {
    running = null;
    go.disabled = false;
    stop.hidden = share.hidden = true;
    state.textContent = line;
  };
  go.addEventListener("click", async () => {
    running = new AbortController();
    go.disabled = true;
    stop.hidden = share.hidden = false;
    share.removeAttribute("value");
    state.textContent = "Starting";
    begun();
    mark(null);
    try {
      let line = "The server ended before the job did.";
      for await (const message of messages(`api/${work}`, request(), running.signal)) {
        if (message.share !== undefined) share.value = message.share;
        if (message.error) { mark(message.error); line = message.error.message; }
        else if (message.done) line = done(message.done) ?? "";
        else state.textContent = told(message) || message.told || "";
      }
      ended(line);
    } catch (error) {
      if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error;
      ended(error.name === "AbortError" ? "Cancelled: nothing is kept." : "The server does not answer: is `boundcheck serve` still running?");
    }
  });
  stop.addEventListener("click", () => { running?.abort(); go.focus(); });
}

async function* messages(path, body, signal) {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

function simulated(found) {
  const container = byId("simulated");
  const picture = el("div", {});
  const rows = found.runs.map((run) => el("tr", {}, el("th", { scope: "row" }, run.policy),
    [run.mean.at(-1), run.standard_error?.at(-1), run.quantiles["0.05"].at(-1), run.quantiles["0.95"].at(-1)].map((x) => el("td", {}, rounded(x))),
    el("td", {}, `${(100 * run.optimal).toFixed(1)} %`)));
  const heads = ["Policy", "Mean regret", "± s.e.", "5 % of runs below", "5 % above", "Optimal slots"];
  container.replaceChildren(picture, el("table", { class: "small" },
    el("caption", {}, `${found.about}. Regret after ${found.slots} slots${found.leap ? ", drawn in leaps" : ""}, ${found.runs[0].runs} runs.`),
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, rows)));
  const bounds = regretLines(found.regret).filter((line) => !line.clipped);
  const policies = found.runs.map((run) => ({
    name: run.policy, series: `hue-${run.hue}`, dashed: run.dashed, legend: [el("b", {}, run.policy), " simulated; band: 90 % of the runs"],
    points: run.checkpoints.map((slot, c) => [slot, run.mean[c], true]).filter(([slot]) => slot >= 10),
  }));
  plot(picture, {
    label: `Mean regret of ${found.runs.map((run) => run.policy).join(", ")} against the slot, with the bounds; the table below has the last values.`,
    x: { name: "slot", log: true }, y: { name: "regret", log: true }, marks: [],
    lines: [...policies, ...bounds],
    bands: found.runs.map((run) => ({
      series: `hue-${run.hue}`,
      points: run.checkpoints.map((slot, c) => [slot, run.quantiles["0.05"][c], run.quantiles["0.95"][c]]).filter(([slot]) => slot >= 10),
    })),
  });
  return "Done.";
}

const rounded = (x) => (Number.isFinite(x) ? number([Number(x.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 }), String(x)]) : "–");

function verdictRow(found) {
  const readings = found.found.map(([word, reading, told]) => el("li", {}, el("b", {}, word), `: ${told}`, el("span", { class: "title" }, reading)));
  const first = found.found.find(([word]) => word === found.verdict) ?? found.found[0];
  return el("tr", {}, el("td", { "data-head": "Claim" }, claim(found.claim)[0]), el("td", { "data-head": "Verdict" }, verdict(found.verdict, found.severity)),
    el("td", { "data-head": "Found" }, first[2], found.found.length > 1 ? el("details", {}, el("summary", {}, `${found.found.length} statements`), el("ul", { class: "plain" }, readings)) : null));
}
