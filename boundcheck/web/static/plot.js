// Plots as SVG, drawn at the width there is: text keeps its size on a narrow screen.

import { el, svg } from "./dom.js";

const LEFT = 58, RIGHT = 14, TOP = 12, BOTTOM = 42;

/** A picture made for the width of its container, and again when that changes. The width is told by
 * an observer: to ask for it after each change would lay the whole page out anew. */
export function drawn(container, made) {
  container.made = made;
  if (!container.observer) {
    container.width = container.clientWidth;
    container.observer = new ResizeObserver(([{ contentRect }]) => {
      if (Math.round(contentRect.width) === container.width) return;
      container.width = Math.round(contentRect.width);
      draw(container);
    });
    container.observer.observe(container);
  }
  draw(container);
}

function draw(container) {
  container.querySelector("svg.plot")?.remove();
  if (container.width) container.prepend(container.made(container.width));
}

/**
 * lines  [{name, series, points: [[x, y, applies]], dashed, legend, clipped}]
 * bands  [{series, points: [[x, low, high]]}]   marks  [{x, name}]   x, y  {name, log}
 */
export function plot(container, about) {
  container.replaceChildren(legend(about.lines));
  drawn(container, (width) => picture(about, width));
}

function picture(about, width) {
  const height = Math.round(Math.min(340, Math.max(220, width * 0.55)));
  const bands = about.bands ?? [];
  const xs = [...about.lines.flatMap((line) => line.points.map(([px]) => px)), ...about.marks.map((mark) => mark.x)];
  const ys = [...about.lines.filter((line) => !line.clipped).flatMap((line) => line.points.map(([, py]) => py)), ...bands.flatMap((band) => band.points.flatMap(([, low, high]) => [low, high]))];
  const x = scale(xs, about.x.log, LEFT, width - RIGHT, Math.max(2, Math.floor(width / 90)));
  const y = scale(ys, about.y.log, height - BOTTOM, TOP, Math.floor(height / 45));
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  const frame = { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM };
  return svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": about.label },
    svg("clipPath", { id: clip }, svg("rect", frame)),
    y.ticks.map((t) => svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y.at(t), y2: y.at(t) })),
    y.ticks.map((t) => svg("text", { class: "tick", x: LEFT - 6, y: y.at(t) + 4, "text-anchor": "end" }, ...written(t, about.y.log))),
    x.ticks.map((t) => svg("line", { class: "grid", x1: x.at(t), x2: x.at(t), y1: TOP, y2: height - BOTTOM })),
    x.ticks.map((t) => svg("text", { class: "tick", x: x.at(t), y: height - BOTTOM + 16, "text-anchor": "middle" }, ...written(t, about.x.log))),
    svg("text", { class: "axis", x: (LEFT + width - RIGHT) / 2, y: height - 6, "text-anchor": "middle" }, about.x.name),
    svg("text", { class: "axis", transform: `translate(13 ${(TOP + height - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, about.y.name),
    svg("g", { "clip-path": `url(#${clip})` },
      bands.map((band) => svg("path", { class: `band ${band.series}`, d: area(band.points, x, y) })),
      about.lines.map((line) => strokes(line, x, y))),
    about.marks.map((mark) => [
      svg("line", { class: "mark", x1: x.at(mark.x), x2: x.at(mark.x), y1: TOP, y2: height - BOTTOM }),
      svg("text", { class: "mark-name", x: x.at(mark.x) + (x.at(mark.x) > width - 110 ? -4 : 4), y: TOP + 11, "text-anchor": x.at(mark.x) > width - 110 ? "end" : "start" }, mark.name),
    ]));
}

/** A line is faint where its claim does not apply. */
function strokes(line, x, y) {
  const pieces = [];
  let last = null;
  for (const [px, py, applies] of line.points) {
    if (!Number.isFinite(py) || !y.can(py)) { last = null; continue; }
    const at = `${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`;
    if (last?.applies !== applies) pieces.push({ applies, d: `M${last?.at ?? at}` });
    pieces.at(-1).d += `L${at}`;
    last = { at, applies };
  }
  return pieces.map(({ applies, d }) => svg("path", { class: `line ${line.series}${applies ? "" : " faint"}${line.dashed ? " dashed" : ""}`, d }));
}

function area(points, x, y) {
  const shown = points.filter(([, low, high]) => Number.isFinite(low) && Number.isFinite(high));
  const up = shown.map(([px, , high]) => `${x.at(px).toFixed(1)} ${y.at(y.least(high)).toFixed(1)}`);
  const down = shown.map(([px, low]) => `${x.at(px).toFixed(1)} ${y.at(y.least(low)).toFixed(1)}`).reverse();
  return shown.length ? `M${[...up, ...down].join("L")}Z` : "";
}

function scale(values, log, from, to, most) {
  const good = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  let low = Math.min(...good), high = Math.max(...good);
  if (!good.length) [low, high] = [1, 10];
  if (log) {
    low = Math.log10(low); high = Math.log10(high);
    if (high - low < 1) [low, high] = [Math.floor(low), Math.floor(low) + Math.max(1, Math.ceil(high - Math.floor(low)))];
  } else if (low > 0) low = Math.min(low, 0);
  if (high === low) high = low + 1;
  high += (high - low) * 0.04;
  const pixel = (v) => from + ((log ? Math.log10(v) : v) - low) / (high - low) * (to - from);
  const step = Math.max(log ? 1 : 0, nice((high - low) / most));
  const ticks = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9; t += step) ticks.push(log ? 10 ** t : Number(t.toPrecision(12)));
  return { at: pixel, ticks, can: (v) => !log || v > 0, least: (v) => (log ? Math.max(v, 10 ** (low - 1)) : v) };
}

function nice(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((f) => f * power).find((step) => step >= rough);
}

function written(value, log) {
  const power = Math.round(Math.log10(value));
  if (!log || (power >= 0 && power <= 3)) return [value.toLocaleString("en")];
  return ["10", svg("tspan", { dy: "-0.4em", class: "power" }, power)];
}

export function swatch(series, dashed) {
  return svg("svg", { class: "swatch", viewBox: "0 0 24 10", width: 24, height: 10, "aria-hidden": "true" },
    svg("path", { class: `line ${series}${dashed ? " dashed" : ""}`, d: "M0 5H24" }));
}

function legend(lines) {
  return el("ul", { class: "legend" }, lines.map((line) =>
    el("li", {}, swatch(line.series, line.dashed), " ", line.legend ?? line.name)));
}
