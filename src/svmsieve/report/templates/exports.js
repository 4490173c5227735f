// Every plot is saved as SVG or PNG, every table as CSV, from the page itself.

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A plot has its light colours as attributes: alone it needs no style sheet, only a background.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  for (const hit of copy.querySelectorAll(".hit")) hit.remove();
  for (const node of [copy, ...copy.querySelectorAll("[class]")]) node.removeAttribute("class");
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", "#ffffff"]]) back.setAttribute(name, value);
  copy.insertBefore(back, copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

function saveSVG(svg, name) {
  save(new Blob([standalone(svg)], { type: "image/svg+xml" }), `${name}.svg`);
}

function savePNG(svg, name) {
  const box = svg.viewBox.baseVal, factor = 3, image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = factor * box.width;
    canvas.height = factor * box.height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standalone(svg));
}

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

function saveCSV(table, name) {
  const lines = [table.names.map(quoted).join(",")];
  for (const row of table.rows) lines.push(table.names.map((_, k) => quoted(table.value(row, k))).join(","));
  save(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }), `${name}.csv`);
}

function saver(parent, form, what, act) {
  put(parent, "button", { type: "button", className: "save", "aria-label": `Save ${what} as ${form}`, title: `Save as ${form}` }, form).addEventListener("click", act);
}

for (const figure of document.querySelectorAll("figure")) {
  const svg = figure.querySelector("svg"), box = put(figure, "div", { className: "saves" });
  saver(box, "SVG", `plot ${figure.id}`, () => saveSVG(svg, figure.id));
  saver(box, "PNG", `plot ${figure.id}`, () => savePNG(svg, figure.id));
}
for (const [name, table] of TABLES) {
  const around = table.table.closest(".scroll"), box = document.createElement("div");
  box.className = "saves";
  around.after(box);
  saver(box, "CSV", `table ${name}`, () => saveCSV(table, name));
}
