// Tables: rows are sorted by a column, searched, shown a part at a time, and saved as CSV (exports.js).

const TABLES = new Map();

// A row is what stands in the page, or what its data hold of rows that do not stand there yet.
class DataTable {
  constructor(table) {
    this.table = table;
    this.heads = [...table.tHead.rows[0].cells];
    this.names = this.heads.map((head) => head.textContent);
    this.rest = (DATA.rest || {})[table.id];
    this.rows = [...table.tBodies[0].rows].map((node) => ({ node }));
    this.page = this.rows.length;
    this.bars = this.heads.map((_, k) => this.rows.length && this.rows[0].node.cells[k].classList.contains("bar"));
    this.numbers = this.heads.map((head) => head.classList.contains("n"));
    const more = this.rest ? this.rest.texts[0].length : 0;
    for (let i = 0; i < more; i++) this.rows.push({ at: i });
    this.rows.forEach((row, i) => { row.first = i; });
    this.order = this.rows.slice();
    this.marked = Number(table.dataset.marked || 0);
    this.shown = this.page;
    if (this.rows.length > 1 && !table.classList.contains("fixed")) this.heads.forEach((head, k) => this.sortable(head, k));
  }

  text(row, k) {
    return row.node ? row.node.cells[k].textContent : this.rest.texts[k][row.at];
  }

  value(row, k) {
    if (row.node) return row.node.cells[k].dataset.v ?? row.node.cells[k].textContent;
    return String((this.rest.values[k] || this.rest.texts[k])[row.at]);
  }

  draw(row) {
    if (row.node) return row.node;
    const node = document.createElement("tr");
    if (row.first < this.marked) node.className = "selected";
    this.heads.forEach((_, k) => {
      const cell = put(node, "td", { className: [this.numbers[k] ? "n" : "", this.bars[k] ? "bar" : ""].join(" ").trim() }, this.text(row, k));
      const value = this.value(row, k);
      if (value !== cell.textContent) cell.dataset.v = value;
      if (this.bars[k]) cell.style.setProperty("--w", `${(100 * Math.max(0, Number(value)) / this.rest.largest[k]).toFixed(1)}%`);
    });
    row.node = node;
    return node;
  }

  sortable(head, k) {
    const words = head.textContent;
    head.textContent = "";
    const button = put(head, "button", { type: "button", className: "sort", title: `Sort by ${words}` }, words);
    button.addEventListener("click", () => this.sort(k));
  }

  sort(k) {
    const down = this.heads[k].getAttribute("aria-sort") === "ascending";
    for (const head of this.heads) head.removeAttribute("aria-sort");
    this.heads[k].setAttribute("aria-sort", down ? "descending" : "ascending");
    const keys = new Map(this.rows.map((row) => [row, this.key(row, k)])), sign = down ? -1 : 1;
    const missing = (key) => key === "" || key === null;
    this.rows.sort((a, b) => {
      const x = keys.get(a), y = keys.get(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y) || a.first - b.first;  // what is not known is last
      const order = typeof x === "number" ? x - y : x.localeCompare(y, undefined, { numeric: true });
      return sign * order || a.first - b.first;
    });
    this.find(this.wanted || "");
  }

  key(row, k) {
    const value = this.value(row, k);
    if (!this.numbers[k] || value === "" || value === "–") return this.numbers[k] ? null : value;
    return Number(value);
  }

  find(wanted, column = 1) {
    this.wanted = wanted;
    const words = wanted.trim().toLowerCase();
    this.order = words ? this.rows.filter((row) => this.text(row, column).toLowerCase().includes(words)) : this.rows;
    this.shown = Math.min(this.order.length, Math.max(this.page, 1));
    this.table.tBodies[0].replaceChildren(...this.order.slice(0, this.shown).map((row) => this.draw(row)));
  }

  more() {
    const end = Math.min(this.order.length, this.shown + this.page);
    this.table.tBodies[0].append(...this.order.slice(this.shown, end).map((row) => this.draw(row)));
    this.shown = end;
  }
}

for (const table of document.querySelectorAll("table.data")) TABLES.set(table.id, new DataTable(table));

function rankedNames() {
  const ranks = TABLES.get("ranks");
  if (!ranks.inOrder) ranks.inOrder = ranks.rows.slice().sort((a, b) => a.first - b.first).map((row) => ranks.text(row, 1));
  return ranks.inOrder;
}

(function ranking() {
  const ranks = TABLES.get("ranks"), more = place("more"), search = place("search");
  if (!ranks || !search) return;
  ranks.page = Math.max(30, Math.min(ranks.marked + 5, 100));  // without a script there are 100
  ranks.find("");
  const tell = () => {
    more.hidden = ranks.shown >= ranks.order.length;
    place("found").textContent = search.value ? `${ranks.order.length} of ${ranks.rows.length} names match` : `${ranks.shown} of ${ranks.rows.length} shown`;
  };
  search.addEventListener("input", () => { ranks.find(search.value); tell(); });
  more.addEventListener("click", () => { ranks.more(); tell(); });
  ranks.table.tHead.addEventListener("click", tell);
  tell();
})();
