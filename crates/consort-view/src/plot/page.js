"use strict";
// Draws the panels on canvases. All panels share `view`, the visible stretch of the horizontal axis.
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const SIDE_MARGIN = 12, TOP = 6, BOTTOM = 24, PANEL_HEIGHT = 230, BOX_MIN = 6;

const FONT = "12px system-ui, 'DejaVu Sans', Verdana, sans-serif";

const all = timeRange();
let view = { ...all };
let labelLeft = 60; // room for the widest number beside an axis
let cursor = null; // time under the pointer
const panels = data.panels.map(makePanel);

function timeRange() {
  let from = Infinity, to = -Infinity;
  for (const times of data.times) {
    for (const time of times) { from = Math.min(from, time); to = Math.max(to, time); }
  }
  if (!(from <= to)) return { from: 0, to: 1 };
  if (from === to) { const pad = Math.abs(from) * 0.1 || 1; return { from: from - pad, to: to + pad }; }
  return { from, to };
}

function element(tag, parent, attributes = {}) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return parent.appendChild(made);
}

function makePanel(description, index) {
  const root = document.getElementById("panels");
  if (description.heading) element("h2", root).textContent = description.heading;
  const legend = element("div", root, { class: "legend" });
  const canvas = element("canvas", root, { tabindex: "0", role: "img" });
  canvas.setAttribute("aria-label", "plot of " + description.series.map((s) => s.name).join(", "));
  const isLast = index === data.panels.length - 1;
  const height = PANEL_HEIGHT + (isLast ? 20 : 0);
  canvas.style.height = height + "px";
  const series = description.series.map((s, at) => ({
    name: s.name, steps: s.steps, path: s.path, mark: s.mark, t: data.times[s.t], v: s.v,
    paint: data.paints[at % data.paints.length], shown: true,
  }));
  const panel = { label: description.label, canvas, series, height, isLast, y: null, box: null };
  for (const one of series) makeLegendEntry(legend, one);
  listen(panel);
  return panel;
}

function makeLegendEntry(legend, one) {
  const button = element("button", legend, { type: "button", "aria-pressed": "true" });
  one.sample = element("canvas", button, { width: "60", height: "20", "aria-hidden": "true" });
  one.sample.style.cssText = "width:30px;height:10px;cursor:inherit";
  element("span", button).textContent = one.name + (one.mark === "nothing" ? " (no data)" : "");
  one.output = element("output", button);
  button.addEventListener("click", () => {
    one.shown = !one.shown;
    button.setAttribute("aria-pressed", String(one.shown));
    draw();
  });
}

function drawSample(one) {
  const context = one.sample.getContext("2d");
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.clearRect(0, 0, 30, 10);
  stroke(context, one);
  if (one.mark === "nothing") return;
  if (one.mark === "dot") { context.fillStyle = context.strokeStyle; context.fillRect(13, 3, 4, 4); return; }
  context.beginPath(); context.moveTo(0, 5); context.lineTo(30, 5); context.stroke();
}

function stroke(context, one) {
  context.strokeStyle = dark.matches ? one.paint.dark : one.paint.light;
  context.lineWidth = 1.6;
  context.lineJoin = "round";
  context.setLineDash(one.paint.dash);
}

// First index whose time is not less than `time`.
function lowerBound(times, time) {
  let low = 0, high = times.length;
  while (low < high) { const middle = (low + high) >> 1; if (times[middle] < time) low = middle + 1; else high = middle; }
  return low;
}

function visible(one) {
  if (one.path) return [0, one.t.length]; // it may come back at any time
  const first = Math.max(0, lowerBound(one.t, view.from) - 1);
  let last = lowerBound(one.t, view.to);
  while (last < one.t.length && one.t[last] <= view.to) last += 1;
  return [first, Math.min(one.t.length, last + 1)];
}

function valueRange(panel) {
  if (panel.y) return panel.y;
  let low = Infinity, high = -Infinity;
  for (const one of panel.series) {
    if (!one.shown) continue;
    const [first, last] = visible(one);
    for (let i = first; i < last; i += 1) {
      const isOutside = one.path && !(view.from <= one.t[i] && one.t[i] <= view.to);
      if (one.v[i] !== null && !isOutside) { low = Math.min(low, one.v[i]); high = Math.max(high, one.v[i]); }
    }
  }
  if (!(low <= high)) return { from: 0, to: 1 };
  const size = Math.max(Math.abs(low), Math.abs(high));
  const pad = high / 2 - low / 2 <= size * 1e-12 ? size * 0.1 || 1 : (high / 2 - low / 2) * 0.1;
  return { from: Math.max(-Number.MAX_VALUE, low - pad), to: Math.min(Number.MAX_VALUE, high + pad) };
}

// Round numbers in a range: 1, 2 or 5 times a power of ten apart.
function ticks(range, wanted) {
  const raw = Math.max(((range.to / 2 - range.from / 2) / wanted) * 2, 5e-324);
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((length) => raw <= length * 1.41);
  const first = Math.ceil(range.from / step - 1e-6), count = Math.floor(range.to / step + 1e-6) - first;
  if (!(step > 0) || !(count < 100)) return [];
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-6));
  const size = Math.max(Math.abs(range.from), Math.abs(range.to));
  const write = size < 1e5 && places <= 6
    ? (value) => value.toFixed(places)
    : (value) => exponential(value, step);
  return Array.from({ length: count + 1 }, (_, i) => {
    const value = (first + i) * step;
    return { value, text: value === 0 ? "0" : write(value).replace("-", "\u2212") };
  });
}

function exponential(value, step) {
  const digits = Math.floor(Math.log10(Math.abs(value)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9);
  return value.toExponential(Math.min(15, Math.max(0, digits))).replace("e+", "e");
}

function frame(panel) {
  const width = panel.canvas.clientWidth;
  const bottom = panel.height - BOTTOM - (panel.isLast ? 20 : 0);
  return { left: labelLeft, right: width - SIDE_MARGIN, top: TOP, bottom };
}

// Maps by halves, so that the largest doubles do not overflow.
function share(range, value) { return (value / 2 - range.from / 2) / (range.to / 2 - range.from / 2); }
function between(range, fraction) { return range.from + fraction * range.to - fraction * range.from; }

function draw() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue("--" + name).trim();
  for (const panel of panels) { panel.range = valueRange(panel); panel.ticks = ticks(panel.range, (PANEL_HEIGHT - TOP - BOTTOM) / 34); }
  labelLeft = labelRoom();
  for (const panel of panels) drawPanel(panel, color);
  readOut();
}

function labelRoom() {
  const context = document.createElement("canvas").getContext("2d");
  context.font = FONT;
  const widths = panels.flatMap((panel) => panel.ticks.map((tick) => context.measureText(tick.text).width));
  return Math.min(160, Math.max(60, ...widths.map((width) => width + 32)));
}

function drawPanel(panel, color) {
  const { canvas } = panel, density = window.devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * density);
  canvas.height = Math.round(panel.height * density);
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  const area = frame(panel), y = panel.range;
  const toX = (time) => area.left + share(view, time) * (area.right - area.left);
  const toY = (value) => area.bottom - share(y, value) * (area.bottom - area.top);
  drawGrid(context, panel, area, { toX, toY, color });
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
  context.clip();
  for (const one of panel.series) { drawSample(one); if (one.shown) drawCurve(context, one, toX, toY); }
  drawPointer(context, panel, area, toX, color);
  context.restore();
}

function drawGrid(context, panel, area, { toX, toY, color }) {
  context.font = FONT;
  context.setLineDash([]);
  context.lineWidth = 1;
  context.strokeStyle = color("grid");
  context.fillStyle = color("soft");
  context.textAlign = "right"; context.textBaseline = "middle";
  context.beginPath();
  for (const tick of panel.ticks) {
    const at = Math.round(toY(tick.value)) + 0.5;
    context.moveTo(area.left, at); context.lineTo(area.right, at);
    context.fillText(tick.text, area.left - 6, at, labelLeft - 24);
  }
  context.textAlign = "center"; context.textBaseline = "top";
  for (const tick of ticks(view, (area.right - area.left) / 90)) {
    const at = Math.round(toX(tick.value)) + 0.5;
    context.moveTo(at, area.top); context.lineTo(at, area.bottom);
    context.fillText(tick.text, at, area.bottom + 6);
  }
  context.stroke();
  context.strokeStyle = color("frame");
  context.strokeRect(area.left + 0.5, area.top + 0.5, area.right - area.left, area.bottom - area.top);
  context.fillStyle = color("ink");
  if (panel.isLast) context.fillText(data.x, (area.left + area.right) / 2, area.bottom + 26);
  context.save();
  context.translate(4, (area.top + area.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(panel.label, 0, 0, area.bottom - area.top);
  context.restore();
}

function drawCurve(context, one, toX, toY) {
  const [first, last] = visible(one);
  stroke(context, one);
  context.fillStyle = context.strokeStyle;
  context.beginPath();
  let isDown = false, before = 0;
  for (let i = first; i < last; i += 1) {
    if (one.v[i] === null) { isDown = false; continue; }
    const x = toX(one.t[i]), y = toY(one.v[i]);
    if (one.mark === "dot") { context.fillRect(x - 2, y - 2, 4, 4); continue; }
    if (!isDown) {
      context.moveTo(x, y);
      const isAlone = i + 1 >= one.v.length || one.v[i + 1] === null;
      if (isAlone) context.fillRect(x - 2, y - 2, 4, 4);
    } else {
      if (one.steps) context.lineTo(x, before);
      context.lineTo(x, y);
    }
    isDown = true; before = y;
  }
  context.stroke();
}

function drawPointer(context, panel, area, toX, color) {
  context.setLineDash([]);
  if (cursor !== null) {
    context.strokeStyle = color("soft");
    context.lineWidth = 1;
    const x = Math.round(toX(cursor)) + 0.5;
    context.beginPath(); context.moveTo(x, area.top); context.lineTo(x, area.bottom); context.stroke();
  }
  const box = panel.box && boxRange(panel);
  if (box) {
    context.fillStyle = color("box");
    const [top, bottom] = box.isFlat ? [area.top, area.bottom] : [box.top, box.bottom];
    context.fillRect(box.left, top, box.right - box.left, bottom - top);
  }
}

function boxRange(panel) {
  const area = frame(panel), { x0, y0, x1, y1 } = panel.box;
  const clampX = (x) => Math.min(area.right, Math.max(area.left, x));
  const clampY = (y) => Math.min(area.bottom, Math.max(area.top, y));
  const box = {
    left: clampX(Math.min(x0, x1)), right: clampX(Math.max(x0, x1)),
    top: clampY(Math.min(y0, y1)), bottom: clampY(Math.max(y0, y1)),
  };
  box.isFlat = box.bottom - box.top < 3 * BOX_MIN;
  return box.right - box.left < BOX_MIN ? null : box;
}

// The value shown at a time: held for steps, on the line otherwise.
function valueAt(one, time) {
  if (one.path) return null; // a path may have several values there
  let next = lowerBound(one.t, time);
  while (next + 1 < one.t.length && one.t[next + 1] === time) next += 1;
  if (next < one.t.length && one.t[next] === time) return one.v[next];
  if (next === 0 || next === one.t.length) return null;
  const a = one.v[next - 1], b = one.v[next];
  if (a === null || (one.steps ? false : b === null)) return null;
  if (one.steps) return a;
  const fraction = (time - one.t[next - 1]) / (one.t[next] - one.t[next - 1]);
  return a + fraction * b - fraction * a;
}

// `time [s]` and `2` are `time = 2 s`.
function cursorText(number) {
  const [, name, unit] = /^(.*) \[(.*)\]$/.exec(data.x) || [null, data.x, ""];
  return name + " = " + number + (unit === "-" ? "" : " " + unit);
}

function readOut() {
  const text = (value) => (value === null ? "" : Number(value.toPrecision(7)).toString().replace("-", "\u2212"));
  document.getElementById("cursor").textContent = cursor === null ? "\u00a0" : cursorText(text(cursor));
  for (const panel of panels) {
    for (const one of panel.series) {
      const value = cursor === null ? null : valueAt(one, cursor);
      one.output.textContent = value === null ? "" : "= " + text(value);
    }
  }
}

function setView(from, to) {
  const smallest = Math.max(Math.abs(from), Math.abs(to)) * 1e-12;
  if (!(to - from > smallest) || !Number.isFinite(to - from)) return;
  view = { from: Math.max(all.from, from), to: Math.min(all.to, to) };
  if (!(view.from < view.to)) view = { ...all };
  draw();
}

function zoom(center, factor) { setView(center - (center - view.from) * factor, center + (view.to - center) * factor); }

function move(shift) {
  const length = view.to - view.from;
  const from = Math.min(Math.max(view.from + shift, all.from), all.to - length);
  setView(from, from + length);
}

function reset() {
  view = { ...all };
  for (const panel of panels) panel.y = null;
  draw();
}

function listen(panel) {
  const { canvas } = panel;
  let drag = null;
  const place = (event) => { const r = canvas.getBoundingClientRect(); return { x: event.clientX - r.left, y: event.clientY - r.top }; };
  const timeAt = (x) => { const area = frame(panel); return between(view, Math.min(1, Math.max(0, (x - area.left) / (area.right - area.left)))); };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(timeAt(place(event).x), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const at = place(event);
    drag = { at, isPan: event.shiftKey || event.button === 1, time: timeAt(at.x), view: { ...view } };
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    cursor = timeAt(at.x);
    if (drag && drag.isPan) {
      const area = frame(panel), length = view.to - view.from;
      move(drag.view.from - view.from - ((at.x - drag.at.x) / (area.right - area.left)) * length);
    } else if (drag) {
      panel.box = { x0: drag.at.x, y0: drag.at.y, x1: at.x, y1: at.y };
    }
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    const box = panel.box && boxRange(panel), area = frame(panel);
    panel.box = null; drag = null;
    if (!box) return draw();
    if (!box.isFlat) {
      const up = (y) => between(panel.range, (area.bottom - y) / (area.bottom - area.top));
      panel.y = { from: up(box.bottom), to: up(box.top) };
    }
    return setView(timeAt(box.left), timeAt(box.right));
  });
  canvas.addEventListener("pointercancel", () => { panel.box = null; drag = null; draw(); });
  canvas.addEventListener("pointerleave", () => { if (!drag) { cursor = null; draw(); } });
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("keydown", (event) => {
    const middle = (view.from + view.to) / 2, tenth = (view.to - view.from) / 10;
    const actions = {
      "+": () => zoom(middle, 0.8), "=": () => zoom(middle, 0.8), "-": () => zoom(middle, 1.25), "0": reset,
      ArrowLeft: () => move(-tenth), ArrowRight: () => move(tenth),
    };
    if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
  });
}

dark.addEventListener("change", draw);
window.addEventListener("resize", draw);
draw();
