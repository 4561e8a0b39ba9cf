// What a reader may do with the page: choose a measure, sort, filter, point. Everything can be read without it.
(() => {
  "use strict";
  document.documentElement.classList.add("js");

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const text = element => element ? element.textContent.trim().replace(/\s+/g, " ") : "";

  // One measure at a time. The address keeps it: #rouge-2, or #rouge-2-where for its pairs and topics.
  function choose(measure) {
    for (const panel of all(".panel")) {
      const on = panel.dataset.measure === measure;
      panel.classList.toggle("on", on);
      if (on) all(".league, .pair-list", panel).forEach(sortable);
    }
    const select = document.querySelector(".chooser [name=measure]");
    if (select) select.value = measure;
    filter();
  }

  function follow() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const target = name && document.getElementById(name);
    const panel = target && target.closest(".panel");
    if (!panel) return;
    choose(panel.dataset.measure);
    target.scrollIntoView();
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
    const body = table.tBodies[0], column = head.cellIndex;
    const rows = [...body.rows].map((row, at) => ({ row, at: row.dataset.at ?? (row.dataset.at = at), value: value(row.cells[column]) }));
    rows.sort((x, y) => {
      const { order, fixed } = compare(x.value, y.value);
      return (fixed ? order : direction * order) || x.at - y.at;
    });
    body.append(...rows.map(each => each.row));
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
    const tables = ["", ...all(".panel.on")].flatMap(panel => all(panel ? ".league, .pairs, .pair-list, .heat" : ".overview", panel || document))
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
    all(".overview").forEach(sortable);  // the others when their measure is chosen
    form.hidden = false;
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", filter);
    const select = form.elements.measure;
    if (select) {
      select.addEventListener("change", () => {
        history.replaceState(null, "", `#${select.value}`);
        choose(select.value);
      });
    }
    document.addEventListener("mouseover", point);
    addEventListener("hashchange", follow);
    choose(document.querySelector(".panel.on").dataset.measure);  // also where a browser kept another choice
    follow();
  });
})();
