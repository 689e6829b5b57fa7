"use strict";

// Sorting. Numbers start with the greatest; a cell without a value stays last either way.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const numeric = head.classList.contains("n");
      const before = head.getAttribute("aria-sort");
      const ascending = before === "none" ? !numeric : before === "descending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      const keyed = [...body.rows].map((row) => [row.cells[column].dataset.sort, row]);
      keyed.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        const order = numeric ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
        return ascending ? order : -order;
      });
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

// Filtering: every word must occur in what the closed entry shows; a "quoted" one as a whole.
const filter = document.getElementById("filter");
if (filter) {
  const count = document.getElementById("count");
  const none = document.getElementById("none");
  const entries = [...document.querySelectorAll("#edits > details")];
  const texts = entries.map((entry) => entry.firstElementChild.textContent.toLowerCase());
  const wholes = texts.map((text) => new Set(text.split(/\s+/)));
  const matches = (word, i) =>
    /^".+"$/.test(word) ? wholes[i].has(word.slice(1, -1)) : texts[i].includes(word);
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    entries.forEach((entry, i) => {
      entry.hidden = !words.every((word) => matches(word, i));
      if (!entry.hidden) shown += 1;
    });
    count.textContent = `${shown} of ${entries.length}`;
    none.hidden = shown > 0;
  };
  filter.addEventListener("input", apply);
  for (const button of document.querySelectorAll("button[data-filter]")) {
    button.addEventListener("click", () => {
      filter.value = button.dataset.filter;
      apply();
      document.getElementById("wrong").scrollIntoView();
    });
  }
  // A reload may bring back what was typed.
  apply();
}
