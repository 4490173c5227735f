// The slider under the curve: another size, its measure, its features.

(function sizes() {
  const S = DATA.sizes, slider = place("size");
  if (!S || !slider) return;
  slider.parentNode.hidden = false;
  const hits = [...document.querySelectorAll("#curve .hit")];
  const list = place("size-features"), more = place("size-more"), most = 500;
  let ring = document.querySelector("#curve .ring");
  if (!ring) {
    ring = hits[0].cloneNode();
    ring.setAttribute("class", "s-1 ring");
    for (const [name, value] of [["r", 6], ["fill", "none"], ["stroke-width", 3]]) ring.setAttribute(name, value);
    hits[0].parentNode.appendChild(ring);
    ring.setAttribute("visibility", "hidden");
  }

  function choose(at) {
    const size = S.sizes[at];
    slider.value = at;
    slider.setAttribute("aria-valuetext", `${size} features, ${S.measured[at]}`);
    ring.setAttribute("visibility", "visible");
    for (const name of ["cx", "cy"]) ring.setAttribute(name, hits[at].getAttribute(name));
    place("size-title").textContent = `${size} ${size === 1 ? "feature" : "features"}`;
    place("size-error").hidden = false;
    place("size-error").textContent = S.measured[at];
    place("size-rules").textContent = "";
    for (const sentence of S.rules[at]) put(place("size-rules"), "p", { className: "quiet" }, sentence);
    confusion(S.confusion[at]);
    list.textContent = "";
    for (const name of rankedNames().slice(0, Math.min(size, most))) put(list, "li", { title: name }, short(name, 60));
    more.hidden = size <= most;
    more.textContent = `and ${size - most} more, as in the ranking`;
  }

  function confusion(matrix) {
    const table = place("size-confusion");
    if (!table || !matrix) return;
    matrix.forEach((row, i) => {
      const total = row.reduce((a, b) => a + b, 0) || 1;
      row.forEach((n, j) => {
        const cell = table.tBodies[0].rows[i].cells[j + 1];
        cell.textContent = n;
        cell.style.setProperty("--s", (n / total).toFixed(2));
      });
    });
  }

  slider.addEventListener("input", () => choose(Number(slider.value)));
  hits.forEach((hit, at) => hit.addEventListener("click", () => choose(at)));
  // The size that was selected is told already; where it is none of the curve's, the slider waits.
})();
