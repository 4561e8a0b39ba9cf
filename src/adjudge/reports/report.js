// What a reader may do with the page: follow a link into what is folded, sort, filter, point. Everything can be read without it.
(() => {
  "use strict";

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const text = element => element ? element.textContent.trim().replace(/\s+/g, " ") : "";

  // A link leads into what is folded.
  function follow() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const target = name && document.getElementById(name);
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.matches("details")) e.open = true;
    target.scrollIntoView();
  }

  // What is folded is made ready when it is unfolded.
  const open = element => !element.parentElement.closest("details:not([open])");

  function ready() {
    all(".league, .pair-list, .overview, .all").filter(open).forEach(sortable);
    filter();
  }

  // Sorting: a button in every head of a table whose rows are systems or pairs.
  const NUMBER = /^[<≈]?\s*([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([kMBT]?)/i;
  const SCALE = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 };

  function value(cell) {
    const shown = text(cell && (cell.querySelector(".range-text, .figure, .letters, .name") || cell));
    const found = NUMBER.exec(shown);
    if (!found || cell.matches(".system, .groups, .name")) return { shown };
    return { shown, number: parseFloat(found[1].replace(/,/g, "")) * (SCALE[found[2]] || 1) };
  }

  function compare(a, b) {
    const none = Number(a.shown === "" || a.shown === "–") - Number(b.shown === "" || b.shown === "–");
    if (none) return { order: none, fixed: true };  // what is not there comes last either way
    if (a.number !== undefined && b.number !== undefined) return { order: a.number - b.number };
    return { order: a.shown.localeCompare(b.shown, undefined, { numeric: true }) };
  }

  function sort(table, head, direction) {
    const column = head.cellIndex, rows = [];
    for (const body of table.tBodies) {  // of the table of all measures, those of each length by themselves
      const sorted = [...body.rows].filter(row => !row.matches(".target"))
        .map((row, at) => ({ row, at: row.dataset.at ?? (row.dataset.at = at), value: value(row.cells[column]) }));
      sorted.sort((x, y) => {
        const { order, fixed } = compare(x.value, y.value);
        return (fixed ? order : direction * order) || x.at - y.at;
      });
      body.append(...sorted.map(each => each.row));
      rows.push(...sorted);
    }
    for (const each of head.parentNode.cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    // Bars of groups run down the ranking; in another order their letters stand alone.
    table.classList.toggle("moved", rows.some((each, place) => Number(each.at) !== place));
  }

  function sortable(table) {
    if (table.querySelector("thead .sort")) return;
    for (const head of table.tHead.rows[0].cells) {
      const title = text(head.querySelector("a, .range-text")) || text(head);
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.setAttribute("aria-label", `Sort by ${title}`);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        sort(table, head, now ? (now === "ascending" ? -1 : 1) : head.matches(".mean") ? -1 : 1);
      });
      (head.querySelector(".range-text") || head).append(button);
    }
  }

  // Filtering by a part of the name, and by kind. A pair stays while one of its systems does.
  const kinds = new Map();

  function filter() {
    const form = document.querySelector(".chooser");
    if (!form) return;
    const named = form.elements.named.value.trim().toLocaleLowerCase(), kind = form.elements.kind.value;
    const kept = name => (!named || name.toLocaleLowerCase().includes(named)) && (!kind || kinds.get(name) === kind);
    const filtered = Boolean(named || kind);
    const tables = all(".league, .pairs, .pair-list, .heat, .overview").filter(open)
      .filter(table => filtered || table.dataset.filtered);  // the many cells of the others are as they should be
    for (const table of tables) {
      table.dataset.filtered = filtered ? "yes" : "";
      if (table.matches(".heat")) continue;
      for (const row of table.tBodies[0].rows) {
        const names = table.matches(".pair-list") ? [row.cells[0], row.cells[1]].map(text) : [text(row.querySelector(".name"))];
        row.hidden = !names.some(kept);
      }
    }
    for (const table of tables.filter(table => table.matches(".heat"))) {
      const out = [...table.tHead.rows[0].cells].map((head, at) => at > 0 && !kept(text(head)));
      for (const row of table.rows) out.forEach((gone, at) => { if (row.cells[at].hidden !== gone) row.cells[at].hidden = gone; });
    }
    const names = [...kinds.keys()], left = names.filter(kept).length;
    form.querySelector("output").textContent = left < names.length ? `${left} of ${names.length} systems` : "";
  }

  // Tooltips: from the heads of the row and of the column.
  function point(event) {
    const cell = event.target.closest && event.target.closest(".heat td, .pairs td, .heat tbody th");
    if (!cell || cell.title) return;
    if (cell.matches("th")) { cell.title = text(cell); return; }
    const table = cell.closest("table");
    if (table.matches(".pairs")) { cell.title = text(cell.querySelector(".hidden")); return; }
    const topic = text(cell.parentNode.cells[0]), system = text(table.tHead.rows[0].cells[cell.cellIndex]);
    cell.title = `${topic}, ${system}: ${text(cell)}`;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector(".chooser");
    for (const row of all(".overview tbody tr, .league tbody tr")) {
      const name = text(row.querySelector(".name"));
      if (!kinds.has(name)) kinds.set(name, text(row.querySelector(".chip")));
    }
    form.hidden = false;
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", filter);
    document.addEventListener("toggle", ready, true);
    document.addEventListener("mouseover", point);
    addEventListener("hashchange", follow);
    ready();
    follow();
  });
})();
