// The instance as fields. The state is the table that a file would hold: what this page has no field
// for (a part of an instance that came with a file) is kept and sent along as it is.

import { byId, el } from "./dom.js";

const PER_ARM = ["means", "capacities"];
let table, laws, changed, measured;

/** `means` are those of the last answer: a law that is measured has no others. */
export function initialise(start, onChange, means) {
  laws = start.laws;
  changed = onChange;
  measured = means;
  byId("law").append(...Object.keys(laws).map((name) => el("option", {}, name)));
  byId("name").addEventListener("input", (event) => set("name", event.target.value));
  byId("plays").addEventListener("input", (event) => set("plays", event.target.value));
  byId("law").addEventListener("change", (event) => {
    table.reward = { law: event.target.value, ...laws[event.target.value] };
    if (table.reward.law === "empirical") {
      table.reward.values = table.capacities.map(() => ["0", "1"]);
      delete table.means; // they are those of the values
    } else table.means ??= measured();
    show(table);
    changed();
  });
  byId("add").addEventListener("click", () => addArm());
  byId("sort-means").addEventListener("click", () => sorted("means"));
  byId("sort-capacities").addEventListener("click", () => sorted("capacities"));
  byId("arms").addEventListener("paste", pastedIntoTable);
  byId("arms").addEventListener("keydown", moved);
}

function set(name, value) {
  table[name] = value;
  changed();
}

export function show(wanted) {
  table = wanted;
  table.reward ??= { law: Object.keys(laws)[0] };
  byId("name").value = table.name ?? "";
  byId("plays").value = table.plays ?? "";
  byId("law").value = table.reward.law;
  byId("parameters").replaceChildren(...parameters());
  showArms();
}

/** What is one number of the law, and what is yes or no anywhere else (what is known of an instance). */
function parameters() {
  const single = Object.entries(table.reward).filter(([name, value]) => name !== "law" && typeof value !== "object");
  const numbers = single.map(([name, value]) => el("label", { class: "field" }, capital(name),
    el("input", { value, "data-field": `reward.${name}`, inputmode: "decimal", autocomplete: "off",
      oninput: (event) => { table.reward[name] = event.target.value; changed(); } })));
  const parts = Object.entries(table).filter(([, part]) => part && typeof part === "object" && !Array.isArray(part));
  const facts = parts.flatMap(([part, facts]) => Object.entries(facts).filter(([, value]) => typeof value === "boolean").map(([name, value]) =>
    el("label", { class: "field" }, el("input", { type: "checkbox", checked: value, "data-field": `${part}.${name}`,
      onchange: (event) => { facts[name] = event.target.checked; changed(); } }), ` ${part}: ${name}`)));
  return [...numbers, ...(table.reward.values ? [values()] : []), ...facts];
}

/** Measured values: a line for each arm. */
function values() {
  const lines = table.reward.values.map((row) => [row].flat().join(", ")).join("\n");
  return el("label", { class: "field wide" }, "Values, a line for each arm (the same value twice counts twice)",
    el("textarea", { rows: Math.min(8, arms() + 1), spellcheck: "false", "data-field": "reward.values", oninput: (event) => {
      table.reward.values = event.target.value.trim().split("\n").map((line) => line.split(/[\s,;]+/).filter(Boolean));
      changed();
    } }, lines));
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);

const arms = () => table.capacities.length;

/** Every list of the table with an entry for each arm: [path, list]. */
function columns() {
  const found = PER_ARM.filter((name) => name in table).map((name) => [name, table[name]]);
  for (const [name, part] of Object.entries(table)) {
    if (PER_ARM.includes(name)) continue;
    if (Array.isArray(part)) found.push([name, part]);
    else if (part && typeof part === "object")
      for (const [inner, list] of Object.entries(part)) if (Array.isArray(list)) found.push([`${name}.${inner}`, list]);
  }
  return found.filter(([name, list]) => PER_ARM.includes(name) || list.length === arms());
}

const HEADINGS = { means: "Mean", capacities: "Capacity", names: "Name" };
const MODES = { capacities: "numeric", names: "text" };

export function showArms() {
  const lists = columns();
  const heads = lists.map(([name]) => el("th", { scope: "col" }, HEADINGS[name] ?? name.split(".").pop()));
  byId("arms").tHead.replaceChildren(el("tr", {}, el("th", { scope: "col" }, "Arm"), heads, el("th", {}, el("span", { class: "hidden" }, "Remove"))));
  byId("arms").tBodies[0].replaceChildren(...table.capacities.map((_, row) => armRow(lists, row)));
}

function armRow(lists, row) {
  const cells = lists.map(([name, list]) => el("td", {}, cell(name, list, row)));
  const remove = el("button", { type: "button", class: "quiet", "aria-label": `Remove arm ${row + 1}`, onclick: () => removed(row) }, "×");
  return el("tr", {}, el("th", { scope: "row" }, row + 1), cells, el("td", {}, remove));
}

function cell(name, list, row) {
  if (typeof list[row] === "object") return el("span", { class: "note" }, `${list[row].length ?? ""} values`);
  return el("input", {
    value: list[row], "data-field": `${name}[${row + 1}]`, "aria-label": `${HEADINGS[name] ?? name} of arm ${row + 1}`,
    inputmode: MODES[name] ?? "decimal", autocomplete: "off",
    oninput: (event) => { list[row] = event.target.value; changed(); },
  });
}

function addArm() {
  const named = `arm ${arms() + 1}`; // no arm has the name of another
  for (const [name, list] of columns()) list.push(name === "names" ? named : structuredClone(list.at(-1) ?? "1"));
  redrawn();
  byId("arms").tBodies[0].lastElementChild?.querySelector("input")?.focus();
}

function removed(row) {
  for (const [, list] of columns()) list.splice(row, 1);
  redrawn();
  const rows = byId("arms").tBodies[0].rows;
  rows[Math.min(row, rows.length - 1)]?.querySelector("button").focus();
}

/** Largest first; what is no number stands last. */
function sorted(name) {
  const keys = (table[name] ?? measured()).map((text) => {
    const [top, bottom] = String(text).split("/").map(Number);
    return bottom === undefined ? top : top / bottom;
  });
  const order = keys.map((_, row) => row).sort((a, b) => (isNaN(keys[a]) - isNaN(keys[b])) || keys[b] - keys[a] || a - b);
  for (const [, list] of columns()) list.splice(0, list.length, ...order.map((row) => list[row]));
  redrawn();
}

function redrawn() {
  showArms();
  changed();
}

/** Lines of cells, as a spreadsheet copies them; a comma before digits may be a decimal one. */
export function spreadsheet(text) {
  const lines = text.trim().split(/\r?\n/).filter((line) => line.trim());
  return lines.map((line) => {
    const apart = /[\t;]/.test(line) ? /[\t;]/ : /,/.test(line) ? /,/ : /\s+/;
    return line.trim().split(apart).map((part) => {
      const word = part.trim();
      return apart.source === "," ? word : word.replace(/^(-?\d*),(\d+)$/, "$1.$2");
    });
  });
}

export function useRows(rows) {
  const isHeading = rows[0].every((word) => !/\d/.test(word));
  const body = isHeading ? rows.slice(1) : rows;
  table.means = body.map((row) => row[0]);
  table.capacities = body.map((row) => row[1] ?? "1");
  if (table.names?.length !== body.length) delete table.names;
  redrawn();
}

function pastedIntoTable(event) {
  const text = event.clipboardData.getData("text");
  const at = event.target.dataset?.field?.match(/^(.+)\[(\d+)\]$/);
  if (!at || !/[\t\n]/.test(text.trim())) return;
  event.preventDefault();
  const lists = columns();
  const first = lists.findIndex(([name]) => name === at[1]);
  spreadsheet(text).forEach((words, line) => {
    const row = Number(at[2]) - 1 + line;
    while (arms() <= row) for (const [, list] of lists) list.push(structuredClone(list.at(-1)));
    words.forEach((word, column) => { if (lists[first + column]) lists[first + column][1][row] = word; });
  });
  redrawn();
}

/** Up, down and Enter go along a column; Enter on the last arm adds one. */
function moved(event) {
  const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
  const at = event.target.dataset?.field?.match(/^(.+)\[(\d+)\]$/);
  if (!step || !at) return;
  event.preventDefault();
  const row = Number(at[2]) + step;
  if (row > arms() && event.key === "Enter") addArm();
  document.querySelector(`[data-field="${at[1]}[${row}]"]`)?.select();
}
