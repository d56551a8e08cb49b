// Elements made of text: whatever a name says, it is shown and never obeyed.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An element; `on...` are listeners, everything else attributes; null and false are left out. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return node;
}

/** A number as the server wrote it: for people, with all its digits on demand. */
export function number([short, exact]) {
  if (exact === null) return el("span", { class: "number" }, short);
  const shown = byId("exact").checked ? exact : short;
  return el("span", { class: "number", title: exact, "data-short": short, "data-exact": exact }, shown);
}

export function showDigits(every) {
  document.body.classList.toggle("exact", every);
  for (const node of document.querySelectorAll("[data-exact]"))
    node.textContent = every ? node.dataset.exact : node.dataset.short;
}

export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
