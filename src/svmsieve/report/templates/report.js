// The sections of the report, from the data in the page.

const D = JSON.parse(document.getElementById("report-data").textContent);
const place = (id) => document.getElementById(id);
const percent = D.measure && D.measure.percent;
const shown = (v) => (v === null || v === undefined ? "–" : percent ? (100 * v).toFixed(1) + " %" : String(Number(v.toPrecision(3))));
const limits = (lower, upper, reason) => (lower === null || upper === null ? `none: ${reason}` : `${shown(lower)} to ${shown(upper)}`);
const axisText = (v) => (percent ? String(Number((100 * v).toPrecision(3))) + " %" : number(v));
const pValue = (p) => (p === null ? "not known" : p < 0.001 ? "< 0.001" : "= " + Number(p.toPrecision(2)));
const COLORS = ["var(--main)", "var(--second)", "var(--third)", "var(--mark)", "var(--quiet)"];

function navigation() {
  const nav = document.querySelector("nav");
  for (const section of document.querySelectorAll("main > section")) {
    put(nav, "a", { href: "#" + section.id }, section.querySelector("h2").textContent);
  }
}

function tile(value, words) {
  const box = put(place("tiles"), "div", { className: "tile" });
  put(box, "b", {}, value);
  put(box, "span", {}, words);
}

function tiles() {
  if (D.selection) tile(`${D.selection.size} of ${D.selection.of}`, "features selected");
  if (D.evaluation) {
    const e = D.evaluation;
    tile(shown(e.value), `${D.measure.name}, nested (${limits(e.lower, e.upper, e.no_interval)})`);
    for (const b of e.baselines) tile(shown(b.value), `${D.measure.name}, ${b.name} (p ${pValue(b.p)})`);
  }
  if (D.stability && D.stability.index !== null) tile(D.stability.index.toFixed(2), "stability (1: all folds choose alike)");
}

function confusionTable(parent, labels, matrix) {
  const table = put(parent, "table", { className: "confusion" });
  const head = put(put(table, "thead"), "tr");
  put(head, "th", {}, "true ↓ predicted →");
  for (const label of labels) put(head, "th", { scope: "col", title: label }, short(label, 24));
  const body = put(table, "tbody");
  matrix.forEach((row, i) => {
    const total = row.reduce((a, b) => a + b, 0) || 1;
    const tr = put(body, "tr");
    put(tr, "th", { scope: "row", title: labels[i] }, short(labels[i], 24));
    row.forEach((n, j) => {
      const color = i === j ? "--positive" : "--negative";
      put(tr, "td", { style: `background: rgba(var(${color}), ${(0.55 * n / total).toFixed(3)})` }, String(n));
    });
  });
}

function atSize(index) {
  const box = place("at-size");
  box.textContent = "";
  const size = D.curve ? D.curve.sizes[index] : D.selection.size;
  put(box, "h3", { id: "size-title" }, `${size} ${size === 1 ? "feature" : "features"}`);
  if (D.curve) {
    const c = D.curve;
    put(box, "p", { id: "size-error" }, `${D.measure.name}: ${shown(c.value[index])} (${limits(c.lower[index], c.upper[index], c.no_interval[index])})`);
    for (const choice of D.choices.filter((each) => each.size === size)) {
      put(box, "p", { className: "quiet" }, `Rule “${choice.rule}”${choice.chosen ? " (used)" : ""}: ${choice.reason}.`);
    }
  }
  if (D.confusion && D.confusion.by_size[index]) confusionTable(box, D.confusion.labels, D.confusion.by_size[index]);
  const list = put(box, "ol", { className: "list", id: "size-features", tabIndex: 0 });
  const most = 500;
  for (const name of D.ranking.names.slice(0, Math.min(size, most))) put(list, "li", { title: name }, short(name, 60));
  if (size > most) put(box, "p", { className: "quiet" }, `and ${size - most} more, as in the ranking`);
}

function curveChart() {
  const c = D.curve, slider = place("size");
  const positions = c.sizes;
  const log = positions[positions.length - 1] > 60 * positions[0];
  const domain = positions.length > 1 ? [positions[0], positions[positions.length - 1]] : [positions[0] - 1, positions[0] + 1];
  const o = chart(place("curve-chart"), {
    x: domain, y: extent([...c.value, ...c.lower, ...c.upper], 0.05), logX: log, xLabel: "number of features", yFormat: axisText,
    xFormat: (v) => String(Math.round(v)), label: `${D.measure.name} against number of features`, height: 360,
    xTicks: log ? null : ticks(domain[0], domain[1], 8).filter((t) => t === Math.round(t) && t > 0),
  });
  const xs = positions.map(o.x);
  band(o.plot, xs, c.lower.map((v) => v === null ? null : o.y(v)), c.upper.map((v) => v === null ? null : o.y(v)));
  line(o.plot, xs.map((x, i) => [x, o.y(c.value[i])]), { stroke: "var(--main)" });
  const bySize = new Map();
  for (const choice of D.choices) bySize.set(choice.size, (bySize.get(choice.size) || []).concat(choice.rule + (choice.chosen ? " ✓" : "")));
  let row = 0;
  for (const [size, rules] of [...bySize].sort((a, b) => a[0] - b[0])) {
    const x = o.x(size), right = x > (o.left + o.right) / 2;
    draw(o.plot, "line", { x1: x, x2: x, y1: o.top, y2: o.bottom, stroke: "var(--mark)", "stroke-dasharray": "4 3" });
    draw(o.plot, "text", { x: x + (right ? -5 : 5), y: o.top + 12 + 15 * (row++ % 4), "text-anchor": right ? "end" : "start", style: "fill:var(--mark)" }, `${rules.join(", ")}: ${size}`);
  }
  const marker = draw(o.plot, "circle", { r: 6, fill: "none", stroke: "var(--second)", "stroke-width": 3 });
  function choose(index) {
    slider.value = index;
    slider.setAttribute("aria-valuetext", `${positions[index]} features, ${shown(c.value[index])}`);
    marker.setAttribute("cx", xs[index]);
    marker.setAttribute("cy", o.y(c.value[index]));
    atSize(index);
  }
  positions.forEach((size, i) => {
    const dot = draw(o.plot, "circle", { cx: xs[i], cy: o.y(c.value[i]), r: positions.length > 80 ? 2 : 3, fill: "var(--main)" });
    const hit = draw(o.plot, "circle", { cx: xs[i], cy: o.y(c.value[i]), r: 9, fill: "transparent", style: "cursor:pointer", class: "hit" });
    draw(hit, "title", {}, `${size} features: ${shown(c.value[i])}`);
    hit.addEventListener("click", () => choose(i));
    dot.setAttribute("pointer-events", "none");
  });
  slider.addEventListener("input", () => choose(Number(slider.value)));
  const wanted = positions.indexOf(D.selection.size);
  choose(wanted >= 0 ? wanted : 0);
}

function rankingTable() {
  const r = D.ranking, table = place("ranks"), more = place("more"), search = place("search");
  const stable = r.frequency !== null, n = r.names.length;
  const largest = r.scores.reduce((a, s) => Math.max(a, s || 0), 1e-300);
  const lower = r.names.map((name) => name.toLowerCase());
  const head = put(put(table, "thead"), "tr");
  for (const [words, kind] of [["rank", "number"], ["feature", ""]].concat(r.positions ? [[r.by, "number"], ["score then", "number"]] : [["score", "number"]], [["", ""]], r.half_samples ? [["half samples", "number"]] : [], stable ? [["in folds", "number"], ["ranks", "number"], ["", ""]] : [])) {
    put(head, "th", { className: kind, scope: "col" }, words);
  }
  const body = put(table, "tbody");
  let matches = [], visible = 0;
  const page = 50, size = D.selection ? D.selection.size : 0;
  function addRow(i) {
    const tr = put(body, "tr", { className: i < size ? "selected" : "" });
    put(tr, "td", { className: "number" }, String(i + 1));
    put(tr, "td", { className: "feature", title: r.names[i] }, short(r.names[i], 80));
    if (r.positions) put(tr, "td", { className: "number" }, number(r.positions[i]));
    put(tr, "td", { className: "number" }, number(r.scores[i]));
    const bar = draw(put(tr, "td"), "svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
    draw(bar, "rect", { x: 0, y: 1, height: 8, width: Math.max(0, 100 * (r.scores[i] || 0) / largest), fill: i < size ? "var(--main)" : "var(--quiet)" });
    if (r.half_samples) put(tr, "td", { className: "number" }, Math.round(100 * r.half_samples[i]) + " %");
    if (!stable) return;
    put(tr, "td", { className: "number" }, Math.round(100 * r.frequency[i]) + " %");
    put(tr, "td", { className: "number" }, `${r.lowest_rank[i]}–${r.highest_rank[i]}`);
    const range = draw(put(tr, "td"), "svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
    const at = (rank) => 2 + 96 * (rank - 1) / Math.max(r.of - 1, 1);
    draw(range, "line", { x1: at(r.lowest_rank[i]), x2: Math.max(at(r.highest_rank[i]), at(r.lowest_rank[i]) + 1), y1: 5, y2: 5, stroke: "var(--main)", "stroke-width": 3 });
    draw(range, "rect", { x: at(r.mean_rank[i]) - 1, y: 0, width: 2, height: 10, fill: "var(--second)" });
  }
  function showMore() {
    const end = Math.min(matches.length, visible + page);
    for (; visible < end; visible++) addRow(matches[visible]);
    more.hidden = visible >= matches.length;
    place("found").textContent = search.value ? `${matches.length} of ${n} names match` : `${visible} of ${n} shown`;
  }
  function find() {
    const wanted = search.value.trim().toLowerCase();
    matches = [];
    for (let i = 0; i < n; i++) if (lower[i].includes(wanted)) matches.push(i);
    body.textContent = "";
    visible = 0;
    showMore();
  }
  search.addEventListener("input", find);
  more.addEventListener("click", showMore);
  find();
}

function responseCharts() {
  const R = D.responses, several = R.classes && R.classes.length > 2;
  const output = R.classes === null ? "prediction" : several ? "probability of each class" : `probability of ${short(R.classes[1], 30)}`;
  for (const f of R.features) {
    const figure = put(place("response-charts"), "figure");
    put(figure, "figcaption", { title: f.name }, short(f.name, 60));
    if (f.kind === "number") {
      const all = R.classes === null ? [...f.mean.flat(), ...f.lines.flat()] : [0, 1];
      const o = chart(figure, { width: 300, height: 210, left: 44, x: extent(f.grid), y: extent(all, R.classes === null ? 0.05 : 0), label: `${output} against ${f.name}` });
      for (const each of f.lines) line(o.plot, each.map((v, i) => [o.x(f.grid[i]), o.y(v)]), { stroke: "var(--quiet)", "stroke-width": 0.6, opacity: 0.5 });
      f.mean.forEach((each, k) => {
        const drawn = line(o.plot, each.map((v, i) => [o.x(f.grid[i]), o.y(v)]), { stroke: COLORS[k % COLORS.length], "stroke-width": 2.5, "stroke-dasharray": k >= COLORS.length ? "5 3" : "none" });
        if (several) draw(drawn, "title", {}, R.classes[k]);
      });
      for (const q of f.quantiles) draw(o.plot, "line", { x1: o.x(q), x2: o.x(q), y1: o.bottom - 5, y2: o.bottom, stroke: "var(--ink)" });
    } else {
      const levels = f.levels.slice(0, 14), height = 26 + 19 * levels.length;
      const svg = draw(figure, "svg", { viewBox: `0 0 300 ${height}`, role: "img", "aria-label": `${output} for the levels of ${f.name}` });
      const flat = f.means.flat(), domain = R.classes === null ? extent([0, ...flat]) : [0, 1];
      const x = scale(domain, [96, 292]);
      levels.forEach((level, i) => {
        draw(svg, "text", { x: 90, y: 14 + 19 * i, "text-anchor": "end" }, short(level, 13));
        const parts = R.classes === null ? f.means[i] : several ? f.means[i] : [f.means[i][1]];
        let start = R.classes === null ? Math.max(domain[0], Math.min(0, domain[1])) : 0;
        parts.forEach((v, k) => {
          const from = several ? start : Math.min(start, v), to = several ? start + v : Math.max(start, v);
          const bar = draw(svg, "rect", { x: x(from), y: 4 + 19 * i, width: Math.max(0, x(to) - x(from)), height: 13, fill: COLORS[k % COLORS.length] });
          draw(bar, "title", {}, `${level}: ${number(v)} (${f.counts[i]} rows)`);
          if (several) start = to;
        });
      });
      const axis = draw(svg, "g", { class: "axis" });
      for (const t of ticks(domain[0], domain[1], 4)) draw(axis, "text", { x: x(t), y: height - 4, "text-anchor": "middle" }, number(t));
      if (f.levels.length > levels.length) put(figure, "p", { className: "quiet" }, `and ${f.levels.length - levels.length} more levels`);
    }
  }
  const legend = put(place("responses"), "p", { className: "quiet" }, `Output: ${output}. `);
  if (several) R.classes.slice(0, 12).forEach((name, k) => put(legend, "span", { style: `color:${COLORS[k % COLORS.length]}` }, `■ ${short(name, 20)} `));
}

function correlationChart() {
  const c = D.correlation, names = c.names.map((name) => short(name, 22));
  heatmap(place("correlation-chart"), {
    values: c.matrix, rows: names, columns: names, bold: c.selected, turned: true, label: "Correlation among the best features",
    color: (v) => `rgba(var(${v >= 0 ? "--positive" : "--negative"}), ${Math.abs(v).toFixed(3)})`,
    title: (i, j) => `${c.names[i]} and ${c.names[j]}: ${number(c.matrix[i][j])}`,
  });
}

function performance() {
  const e = D.evaluation, body = place("against");
  for (const row of [{ name: "selected features", ...e }, ...e.baselines]) {
    const tr = put(body, "tr");
    put(tr, "th", { scope: "row" }, row.name);
    put(tr, "td", { className: "number" }, shown(row.value));
    put(tr, "td", { className: "number" }, limits(row.lower, row.upper, row.no_interval));
    put(tr, "td", {}, row.p === undefined ? "" : `p ${pValue(row.p)}`);
  }
  if (D.confusion) confusionTable(place("confusion"), D.confusion.labels, D.confusion.matrix);
  if (D.roc) {
    const o = chart(place("roc-chart"), { x: [0, 1], y: [0, 1], width: 420, height: 400, xLabel: "false positive rate", label: "ROC curve of the outer folds" });
    draw(o.plot, "line", { x1: o.x(0), y1: o.y(0), x2: o.x(1), y2: o.y(1), stroke: "var(--line)" });
    D.roc.curves.forEach((c, k) => {
      line(o.plot, c.fpr.map((v, i) => [o.x(v), o.y(c.tpr[i])]), { stroke: COLORS[k % COLORS.length], "stroke-dasharray": k >= COLORS.length ? "5 3" : "none" });
      draw(o.plot, "text", { x: o.right - 6, y: o.bottom - 10 - 15 * (D.roc.curves.length - 1 - k), "text-anchor": "end", style: `fill:${COLORS[k % COLORS.length]}` }, `${short(c.label, 24)}: AUC ${c.auc === null ? "–" : c.auc.toFixed(3)}`);
    });
  }
  if (D.predictions) {
    const p = D.predictions, both = extent([...p.true, ...p.predicted], 0.03);
    const o = chart(place("prediction-chart"), { x: both, y: both, width: 420, height: 400, xLabel: "true value (predicted: upwards)", label: "Predicted against true values of the outer folds" });
    draw(o.plot, "line", { x1: o.x(both[0]), y1: o.y(both[0]), x2: o.x(both[1]), y2: o.y(both[1]), stroke: "var(--quiet)" });
    p.true.forEach((t, i) => draw(o.plot, "circle", { cx: o.x(t).toFixed(1), cy: o.y(p.predicted[i]).toFixed(1), r: 2.5, fill: "var(--main)", opacity: 0.5 }));
  }
}

function tuningChart() {
  const t = D.tuning, exponent = (v) => "2^" + String(Math.round(Math.log2(v) * 10) / 10);
  const range = extent(t.values.flat());
  const percentOf = t.measure.includes("rate");
  const text = (v) => (v === null ? "–" : percentOf ? (100 * v).toFixed(0) : number(v));
  const h = heatmap(place("tuning-chart"), {
    values: t.values, rows: t.gamma.map((v) => "γ " + exponent(v)), columns: t.C.map(exponent), label: "Tuning surface", left: 70, cell: 40, bottom: 40,
    color: (v) => (v === null ? "none" : `rgba(var(--negative), ${(0.08 + 0.8 * (v - range[0]) / (range[1] - range[0] || 1)).toFixed(3)})`),
    title: (i, j) => `C = ${number(t.C[j])}, γ = ${number(t.gamma[i])}: ${text(t.values[i][j])}${percentOf ? " %" : ""}`, text,
  });
  const i = t.gamma.indexOf(t.best.gamma), j = t.C.indexOf(t.best.C);
  if (i >= 0 && j >= 0) draw(h.svg, "rect", { x: h.left + j * h.cell, y: h.top + i * h.cell, width: h.cell - 1, height: h.cell - 1, fill: "none", stroke: "var(--ink)", "stroke-width": 3 });
  draw(h.svg, "text", { class: "label", x: (h.left + h.width) / 2, y: h.height - 6, "text-anchor": "middle" }, "C");
}

function comparison() {
  const c = D.comparison, n = c.methods.length, height = 60 + 28 * n;
  const domain = extent(c.methods.flatMap((m) => [m.value, m.lower, m.upper]), 0.05);
  const svg = draw(place("comparison-chart"), "svg", { viewBox: `0 0 640 ${height}`, role: "img", "aria-label": `${D.measure.name} of each method with its interval` });
  const x = scale(domain, [190, 620]), axis = draw(svg, "g", { class: "axis" });
  for (const t of ticks(domain[0], domain[1], 6)) {
    draw(axis, "line", { x1: x(t), x2: x(t), y1: 10, y2: height - 40 });
    draw(axis, "text", { x: x(t), y: height - 24, "text-anchor": "middle" }, axisText(t));
  }
  draw(svg, "text", { class: "label", x: 405, y: height - 5, "text-anchor": "middle" }, `${D.measure.name} (${D.measure.lower_is_better ? "lower" : "higher"} is better)`);
  c.methods.forEach((m, i) => {
    const y = 26 + 28 * i;
    draw(svg, "text", { x: 180, y: y + 4, "text-anchor": "end" }, short(m.name, 26));
    if (m.lower !== null) draw(svg, "line", { x1: x(m.lower), x2: x(m.upper), y1: y, y2: y, stroke: "var(--main)", "stroke-width": 2 });
    draw(draw(svg, "circle", { cx: x(m.value), cy: y, r: 5, fill: "var(--main)" }), "title", {}, `${m.name}: ${shown(m.value)}`);
  });
  const curves = c.methods.filter((m) => m.curve && m.curve.sizes.length > 1);
  if (curves.length) {
    const sizes = curves.flatMap((m) => m.curve.sizes), xs = extent(sizes);
    const o = chart(place("comparison-curves"), { x: xs, y: extent(curves.flatMap((m) => m.curve.value), 0.05), logX: xs[1] > 60 * xs[0], xLabel: "number of features", yFormat: axisText, xFormat: (v) => String(Math.round(v)), label: `${D.measure.name} against number of features, each method` });
    curves.forEach((m, k) => {
      line(o.plot, m.curve.sizes.map((s, i) => [o.x(s), o.y(m.curve.value[i])]), { stroke: COLORS[k % COLORS.length], "stroke-dasharray": k >= COLORS.length ? "5 3" : "none" });
      draw(o.plot, "text", { x: o.right - 6, y: o.top + 12 + 15 * k, "text-anchor": "end", style: `fill:${COLORS[k % COLORS.length]}` }, short(m.name, 30));
    });
  }
  const table = place("comparison-methods"), head = put(put(table, "thead"), "tr"), body = put(table, "tbody");
  for (const words of ["method", D.measure.name, "95 % interval", "columns", "stability", "seconds"]) put(head, "th", { scope: "col" }, words);
  for (const m of c.methods) {
    const tr = put(body, "tr");
    put(tr, "th", { scope: "row" }, short(m.name, 60));
    const stable = m.stability && m.stability.value !== null ? m.stability.value.toFixed(2) : "–";
    for (const text of [shown(m.value), limits(m.lower, m.upper, m.no_interval), m.columns === null ? "all" : number(m.columns), stable, m.seconds === null ? "–" : m.seconds.toFixed(1)]) put(tr, "td", {}, text);
  }
  const tests = place("comparison-tests"), testHead = put(put(tests, "thead"), "tr"), testBody = put(tests, "tbody");
  for (const words of ["first", "second", "gain of the first", "p", "p (Holm)", ""]) put(testHead, "th", { scope: "col" }, words);
  for (const t of c.tests) {
    const tr = put(testBody, "tr");
    for (const text of [short(t.first, 40), short(t.second, 40), number(t.gain), pValue(t.p), pValue(t.p_holm), { "+": "better", "-": "worse" }[t.sign] || ""]) put(tr, "td", {}, text);
  }
}

function copying() {
  const button = place("copy");
  if (!button) return;
  button.addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(place("paragraph"));
    const selected = window.getSelection();
    selected.removeAllRanges();
    selected.addRange(range);
    place("copied").textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.";
  });
}

navigation();
tiles();
if (D.curve) curveChart(); else if (D.selection) atSize(0);
if (D.ranking) rankingTable();
if (place("response-charts")) responseCharts();
if (D.correlation) correlationChart();
if (D.evaluation) performance();
if (D.tuning) tuningChart();
if (D.comparison) comparison();
copying();
window.addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details")) d.open = true; });
