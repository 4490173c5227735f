"use strict";
// What the other scripts share, and what the page does beside its plots and tables.

const DATA = JSON.parse(document.getElementById("report-data").textContent);
const place = (id) => document.getElementById(id);

function put(parent, tag, properties, text) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key in node) node[key] = value; else node.setAttribute(key, value);
  }
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

const short = (name, longest) => (name.length <= longest ? name : name.slice(0, longest - 1) + "…");

document.documentElement.classList.add("script");

(function copying() {
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
})();

window.addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details")) d.open = true; });
