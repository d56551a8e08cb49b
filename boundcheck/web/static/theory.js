// What the theory says: everything shown here was computed and worded by the server.

import { byId, el, number, svg } from "./dom.js";
import { drawn, plot } from "./plot.js";

let start, names = []; // of the arms, if they have names
export const called = (arm) => names[arm - 1] ?? `arm ${arm}`;
const open = new Set(); // details that are open stay so when they are drawn again

export function initialise(known) {
  start = known;
  const silent = Object.keys(start.claims).filter((id) => !start.claims[id].quantities);
  byId("others").tBodies[0].replaceChildren(...silent.map((id) =>
    el("tr", {}, el("td", { "data-head": "Claim" }, claim(id)), el("td", { "data-head": "Says" }, start.claims[id].statement))));
}

/** A claim by its id, with what the last audit found of it, and the way there. */
export function claim(id) {
  const card = start.claims[id];
  const title = `${card.source}: ${card.statement}`;
  return [
    card.page ? el("a", { href: `audit/claims/${id}.html`, target: "_blank", rel: "noopener", title }, id) : el("b", { title }, id),
    " ", verdict(card.verdict, card.severity), el("span", { class: "title" }, card.title),
  ];
}

export function verdict(word, severity) {
  if (!word) return null;
  const wrong = severity && el("span", { class: `badge tone-${start.tones[severity]}`, title: start.severities[severity] }, start.phrases[severity]);
  return el("span", { class: "badges" }, el("span", { class: `badge tone-${start.tones[word]}`, title: start.verdicts[word] }, word), wrong && " ", wrong);
}

export function show(answer) {
  names = answer.names;
  byId("warnings").replaceChildren(...answer.warnings.map((line) => el("li", {}, line)));
  byId("optimum-text").textContent = answer.optimum.text;
  drawn(byId("optimum"), (width) => optimum(answer.optimum, width));
  showAnswers(answer.headline);
  showBounds(answer.bounds);
  byId("assumptions").tBodies[0].replaceChildren(...answer.assumptions.map(assumption));
}

/** The questions that the theory answers, in the words of every other screen. */
function showAnswers(questions) {
  byId("three-section").hidden = !questions.length;
  const moods = { applies: "good", "applies to some arms": "mixed" };
  byId("three").replaceChildren(...questions.map(({ question, results }) => el("li", {}, el("b", {}, question),
    el("ul", { class: "said" }, results.map((said) => el("li", { class: said.ours ? "ours" : null },
      claim(said.claim), el("span", { class: "value" }, said.number), ": ",
      el("span", { class: `mood ${moods[said.state] ?? "bad"}` }, said.here)))))));
}

export function showCurves({ regret, sizes }, answer) {
  showRegret(byId("regret"), regret, answer);
  showSizes(sizes);
}

// -- the best action -------------------------------------------------------------------------

/** An arm below its block: by its name where that fits, else by its number. */
const below = (arm, width) => (names[arm - 1]?.length * 7 < width ? names[arm - 1] : arm);

/** Arms as blocks, best first: as wide as their capacity, as high as their mean. The area within
 * the plays is what the best action earns. */
function optimum({ arms, plays, text }, W) {
  const room = arms.reduce((sum, arm) => sum + arm.capacity, 0);
  const across = Math.min(room, Math.max(2 * plays, plays + 3));
  const top = Math.max(...arms.map((arm) => arm.mean), 1e-9), low = Math.min(0, ...arms.map((arm) => arm.mean));
  const H = 150, wide = (n) => n / across * W, high = (mean) => 20 + (top - mean) / (top - low) * (H - 50);
  const blocks = [];
  let left = 0;
  for (const arm of arms) {
    if (left >= across) break;
    const right = Math.min(left + arm.capacity, across), y = Math.min(high(arm.mean), high(0)), height = Math.max(1, Math.abs(high(arm.mean) - high(0)));
    if (arm.plays) blocks.push(svg("rect", { class: "played", x: wide(left), y, width: wide(arm.plays), height }));
    blocks.push(svg("rect", { class: "arm", x: wide(left) + 0.5, y, width: Math.max(1, wide(right - left) - 1), height }));
    for (let n = left + 1; n < right && across <= 60; n++) blocks.push(svg("line", { class: "play", x1: wide(n), x2: wide(n), y1: y, y2: y + height }));
    if (wide(right - left) > 16) blocks.push(svg("text", { class: "tick", x: wide((left + right) / 2), y: H - 14, "text-anchor": "middle" }, below(arm.arm, wide(right - left))));
    left = right;
  }
  const label = `Arms as blocks, best first, as wide as their capacity and as high as their mean. ${text}`;
  return svg("svg", { class: "plot optimum", viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": label }, blocks,
    svg("line", { class: "mark", x1: wide(plays), x2: wide(plays), y1: 4, y2: H - 28 }),
    svg("text", { class: "mark-name", x: wide(plays) + 6, y: 14 }, `${plays} plays`));
}

// -- plots -----------------------------------------------------------------------------------

export function regretLines(regret) {
  const lines = regret.lines.map((line) => ({
    name: line.claim, series: `hue-${line.hue}`, dashed: line.growth,
    legend: legendOf(line),
    points: regret.slots.map((slot, n) => [slot, line.values[n] ?? NaN, line.applies[n]]),
  }));
  const most = { name: "most", series: "most", clipped: true, legend: "largest possible regret", points: regret.slots.map((slot, n) => [slot, regret.most[n] ?? NaN, true]) };
  return [...lines, most];
}

function legendOf(line) {
  const words = [line.lower ? "lower bound" : `upper bound for ${line.policy ?? "a policy"}`];
  if (line.growth) words.push("in the limit, times log T");
  return [el("b", {}, line.claim), ` ${words.join("; ")}`];
}

function showRegret(container, regret, { horizon, exponent }) {
  if (regret.error) return container.replaceChildren(el("p", { class: "note" }, regret.error));
  const names = regret.lines.map((line) => `${line.claim} ${line.lower ? "from below" : "from above"}`);
  plot(container, {
    label: `Bounds on the regret against T, both axes in powers of ten: ${names.join(", ")}. T = ${horizon[0]} is marked; the table of bounds has the numbers.`,
    x: { name: "T, slots", log: true }, y: { name: "regret", log: true },
    lines: regretLines(regret), marks: [{ x: 10 ** exponent, name: `T = ${horizon[0]}` }],
  });
}

function showSizes(sizes) {
  byId("sizes").closest("section").hidden = !sizes;
  if (!sizes) return;
  if (sizes.error) return byId("sizes").replaceChildren(el("p", { class: "note" }, sizes.error));
  plot(byId("sizes"), {
    label: `How often ${called(sizes.arm)} must be explored against its capacity, by ${sizes.lines.map((line) => line.claim).join(", ")}; its capacity ${sizes.capacity} is marked.`,
    x: { name: "capacity", log: false }, y: { name: "explorations", log: true },
    lines: sizes.lines.map((line) => ({
      name: line.claim, series: `hue-${line.hue}`, dashed: line.lower,
      legend: [el("b", {}, line.claim), line.lower ? " needed at least" : " suffice"],
      points: line.capacities.map((m, n) => [m, line.values[n] ?? NaN, line.applies[n]]),
    })),
    marks: [{ x: sizes.capacity, name: `m = ${sizes.capacity}` }],
  });
}

// -- bounds ----------------------------------------------------------------------------------

let before = {}; // value by claim and quantity, to show what changed

function showBounds(bounds) {
  const main = bounds.find((bound) => bound.claim === start.main) ?? bounds[0];
  const units = [...new Set([main?.unit, ...bounds.map((bound) => bound.unit)])];
  const bodies = units.map((unit) => {
    const group = bounds.filter((bound) => bound.unit === unit);
    const rows = group.map((bound, n) => boundRow(bound, group, group[n - 1]?.claim !== bound.claim));
    return el("tbody", {}, el("tr", { class: "unit" }, el("th", { colspan: 5, scope: "rowgroup" }, `in ${unit}`)), rows);
  });
  const table = byId("bounds");
  table.replaceChildren(table.tHead, ...bodies);
  before = Object.fromEntries(bounds.map((bound) => [key(bound), JSON.stringify(bound.ends)]));
}

const key = (bound) => `${bound.claim}: ${bound.quantity}`;

/** A bound with what is sharper beside it; only the first quantity of a claim says which claim. */
function boundRow(bound, group, leads) {
  const sharper = start.claims[bound.claim].sharper.map((id) => group.find((other) => other.claim === id)).filter(Boolean);
  const quantities = group.filter((other) => other.claim === bound.claim).length;
  const known = before[key(bound)];
  const changed = known !== undefined && known !== JSON.stringify(bound.ends);
  return el("tr", { class: start.claims[bound.claim].ours ? "ours" : null, "data-bound": key(bound) },
    leads ? el("td", { "data-head": "Claim", class: "claim", rowspan: quantities > 1 ? quantities : null }, claim(bound.claim)) : null,
    el("td", { "data-head": "Bound", class: changed ? "changed" : null }, value(bound), el("span", { class: "title" }, bound.quantity), more(bound)),
    el("td", { "data-head": "Here" }, here(bound)),
    el("td", { "data-head": "Better than trivial?" }, bar(bound)),
    el("td", { "data-head": "Sharper" }, sharper.map((other) =>
      el("div", {}, value(other), " ", el("span", { class: "title" }, other.claim, ", ", hereWords(other))))));
}

function value(bound) {
  const ends = bound.ends.flatMap((end, n) => (n ? [" to ", number(end)] : [number(end)]));
  return el("span", { class: "value" }, ends.length ? ends : "no number");
}

function hereWords(bound) {
  if (bound.refuted) return `refuted: do not rely on it${bound.instead ? `; use ${bound.instead} instead` : ""}`;
  if (!bound.count) return "no arm";
  if (bound.applies === bound.count) return "applies";
  return bound.applies ? `applies to ${bound.applies} of ${bound.count} arms` : "does not apply";
}

function here(bound) {
  const mood = bound.refuted ? "bad" : bound.applies === bound.count ? "good" : bound.applies ? "mixed" : "bad";
  const failing = bound.fails.length ? el("span", { class: "title" }, `fails: ${bound.fails.join(", ")}`) : null;
  return [el("span", { class: `mood ${mood}` }, hereWords(bound)), failing];
}

const DECADES = 6; // on either side of the mark

function bar(bound) {
  if (bound.informative === null) return el("span", { class: "title" }, "no trivial bound");
  const nothing = bound.informative === 0;
  const words = nothing ? "nothing" : bound.informative < bound.count ? `for ${bound.informative} of ${bound.count} arms` : "yes";
  const beyond = bound.since && nothing ? ["; from T = ", number(bound.since)] : null;
  const told = el("span", { class: "title" }, `${bound.upper ? "at most" : "at least"} `, number(bound.anyway), " without it", beyond);
  return [el("span", { class: `mood ${nothing ? "bad" : "good"}` }, words), gauge(bound, nothing), told];
}

function gauge(bound, nothing) {
  if (bound.decades === null) return null;
  const at = Math.max(-DECADES, Math.min(DECADES, bound.decades)) * 10 + 60;
  return svg("svg", { class: "gauge", viewBox: "0 0 120 12", role: "img", "aria-label": `${bound.decades < 0 ? "below" : "above"} the trivial bound by ${Math.abs(bound.decades).toFixed(1)} powers of ten` },
    svg("rect", { class: "track", x: 0, y: 3, width: 120, height: 6, rx: 3 }),
    svg("rect", { class: nothing ? "bad" : "good", x: 0, y: 3, width: Math.max(3, at), height: 6, rx: 3 }),
    svg("line", { class: "mark", x1: 60, x2: 60, y1: 0, y2: 12 }));
}

/** Arm by arm and term by term, drawn when it is opened. */
function more(bound) {
  if (bound.arms.length < 2 && !bound.terms.length) return null;
  const words = bound.terms.length ? "term by term" : `arm by arm (${bound.arms.length})`;
  const rows = () => bound.terms.length
    ? bound.terms.map(([name, ...found]) => el("li", {}, `${name}: `, number(found)))
    : bound.arms.map(([arm, short, exact, applies]) => el("li", {}, `${called(arm)}: `, number([short, exact]), applies ? "" : " (does not apply)"));
  return lazy(`bound ${key(bound)}`, words, () => el("ul", { class: "plain" }, rows()));
}

function lazy(name, words, made) {
  const node = el("details", { open: open.has(name) }, el("summary", {}, words));
  const fill = () => { if (node.open && node.children.length === 1) node.append(made()); };
  node.addEventListener("toggle", () => { node.open ? open.add(name) : open.delete(name); fill(); });
  fill();
  return node;
}

// -- assumptions -----------------------------------------------------------------------------

function assumption(found) {
  const [worst, ...others] = found.arms;
  const [arm, is, needs, holds, short, exact] = worst;
  const left = found.count - found.arms.length;
  const rest = others.length ? lazy(`assumption ${found.name} ${found.claims}`, `${found.count - 1} more arms`, () => el("ul", { class: "plain" },
    others.map(([arm, is, needs, holds]) => el("li", { class: holds ? null : "wrong" }, `${called(arm)}: ${is}, needs ${needs}`)),
    left ? el("li", {}, `and ${left} more`) : null)) : null;
  return el("tr", {},
    el("td", { "data-head": "Assumption" }, el("span", { class: `mood ${holds ? "good" : "bad"}` }, holds ? "holds" : "fails"), " ", found.name,
      found.implicit ? el("span", { class: "badge" }, "only the proof uses it") : null, el("span", { class: "title" }, found.statement), found.witness ? el("span", { class: "title" }, found.witness) : null),
    el("td", { "data-head": "Arm" }, names[arm - 1] ?? arm ?? "", rest),
    el("td", { "data-head": "It is" }, is),
    el("td", { "data-head": "It needs" }, needs),
    el("td", { "data-head": "Margin" }, short === null ? "" : number([short, exact])),
    el("td", { "data-head": "Claims", class: "claims" }, found.claims.join(", ")));
}
