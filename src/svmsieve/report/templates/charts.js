"use strict";
// Charts as SVG elements: scales, axes, lines.  Text from data goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function draw(parent, tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

function put(parent, tag, properties, text) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key in node) node[key] = value; else node.setAttribute(key, value);
  }
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

function short(name, longest) {
  const text = String(name);
  return text.length <= longest ? text : text.slice(0, longest - 1) + "…";
}

function number(value) {
  if (value === null || value === undefined) return "–";
  if (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)) return value.toExponential(1);
  return String(Number(value.toPrecision(4)));
}

function ticks(low, high, wanted) {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) result.push(i * step);
  return result;
}

function logTicks(low, high) {
  const result = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) {
    for (const m of [1, 2, 5]) {
      const value = m * Math.pow(10, p);
      if (value >= low * 0.999 && value <= high * 1.001) result.push(value);
    }
  }
  return result.length > 8 ? result.filter((v) => /^10*$|^0\.0*1$/.test(String(v))) : result;
}

function scale(domain, range, log) {
  const f = log ? Math.log : (v) => v;
  const low = f(domain[0]), high = f(domain[1]);
  const span = high > low ? high - low : 1;
  return (v) => range[0] + ((f(v) - low) / span) * (range[1] - range[0]);
}

function extent(values, room) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (v !== null && v !== undefined) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(low <= high)) return [0, 1];
  const extra = (high - low || Math.abs(high) || 1) * (room || 0);
  return [low - extra, high + extra];
}

// A frame with axes; returns the group to draw into and the two scales.
function chart(parent, o) {
  const width = o.width || Math.max(340, Math.min(560, parent.clientWidth || 560)), height = o.height || 340;
  const left = o.left || 56, right = 14, top = 14, bottom = o.xLabel ? 46 : 30;
  const svg = draw(parent, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": o.label, style: `max-width:${Math.round(1.4 * width)}px` });
  const x = scale(o.x, [left, width - right], o.logX), y = scale(o.y, [height - bottom, top]);
  const axis = draw(svg, "g", { class: "axis" });
  const format = o.yFormat || number, formatX = o.xFormat || number;
  for (const t of ticks(o.y[0], o.y[1], 5)) {
    draw(axis, "line", { x1: left, x2: width - right, y1: y(t), y2: y(t) });
    draw(axis, "text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, format(t));
  }
  const xs = o.xTicks || (o.logX ? logTicks(o.x[0], o.x[1]) : ticks(o.x[0], o.x[1], Math.max(3, Math.round(width / 110))));
  for (const t of xs) {
    draw(axis, "line", { x1: x(t), x2: x(t), y1: height - bottom, y2: height - bottom + 4 });
    draw(axis, "text", { x: x(t), y: height - bottom + 17, "text-anchor": "middle" }, formatX(t));
  }
  draw(axis, "line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom });
  if (o.xLabel) draw(svg, "text", { class: "label", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, o.xLabel);
  return { svg, x, y, plot: draw(svg, "g"), bottom: height - bottom, top, left, right: width - right };
}

function path(points) {
  return points.map((p, i) => `${i ? "L" : "M"}${p[0].toFixed(2)},${p[1].toFixed(2)}`).join("");
}

function line(parent, points, attributes) {
  return draw(parent, "path", { d: path(points), fill: "none", "stroke-width": 2, ...attributes });
}

function band(parent, xs, lower, upper) {
  const there = xs.map((x, i) => [x, lower[i], upper[i]]).filter((p) => p[1] !== null && p[2] !== null);
  const points = there.map((p) => [p[0], p[1]]).concat(there.slice().reverse().map((p) => [p[0], p[2]]));
  if (points.length) draw(parent, "path", { d: path(points) + "Z", fill: "var(--band)", stroke: "none" });
}

// Cells of a matrix, coloured; names along both sides.
function heatmap(parent, o) {
  const rows = o.values.length, columns = o.values[0].length;
  const cell = o.cell || Math.max(14, Math.min(40, 460 / columns));
  const left = o.left || 172, top = 10, bottom = o.bottom || 110;
  const width = left + columns * cell + 20, height = top + rows * cell + bottom;
  const svg = draw(parent, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": o.label, style: `max-width:${width * 1.25}px` });
  for (let i = 0; i < rows; i++) {
    const style = o.bold && o.bold[i] ? "font-weight:600" : "";
    draw(svg, "text", { x: left - 6, y: top + (i + 0.5) * cell + 4, "text-anchor": "end", style }, o.rows[i]);
    for (let j = 0; j < columns; j++) {
      const square = draw(svg, "rect", { x: left + j * cell, y: top + i * cell, width: cell - 1, height: cell - 1, style: `fill:${o.color(o.values[i][j])}` });
      draw(square, "title", {}, o.title(i, j));
      if (o.text && cell >= 28) draw(svg, "text", { x: left + (j + 0.5) * cell, y: top + (i + 0.5) * cell + 4, "text-anchor": "middle", style: "font-size:10px" }, o.text(o.values[i][j]));
    }
  }
  for (let j = 0; j < columns; j++) {
    const at = [left + (j + 0.5) * cell, top + rows * cell + 12];
    const turned = o.turned ? { transform: `rotate(-45 ${at[0]} ${at[1]})`, "text-anchor": "end" } : { "text-anchor": "middle" };
    draw(svg, "text", { x: at[0], y: at[1], ...turned }, o.columns[j]);
  }
  return { svg, left, top, cell, width, height };
}
