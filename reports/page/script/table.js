// How does a table sort? By a click on a heading; a cell without a value stays last either way.

/**
 * @param {{head: Child[] | Child, title?: string, numeric?: boolean, key: (row: any) => number | string | null,
 *          cell: (row: any) => any}[]} columns
 * @param {any[]} rows
 */
function sortable(columns, rows, { label, className = "" }) {
  const body = h("tbody");
  const heads = columns.map((column, at) => {
    const button = h("button", { type: "button", title: column.title, on: { click: () => sort(at) } }, column.head);
    return h("th", { scope: "col", class: column.numeric ? "n" : null, "aria-sort": "none" }, button);
  });
  const draw = (some) => fill(body, some.map((row) => h("tr", {}, columns.map((column) => column.cell(row)))));
  const sort = (at) => {
    const { numeric, key } = columns[at];
    const before = heads[at].getAttribute("aria-sort");
    const ascending = before === "none" ? !numeric : before === "descending";
    for (const head of heads) head.setAttribute("aria-sort", "none");
    heads[at].setAttribute("aria-sort", ascending ? "ascending" : "descending");
    table.current = [...table.current].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      const order = numeric ? x - y : x < y ? -1 : x > y ? 1 : 0;
      return ascending ? order : -order;
    });
    draw(table.current);
  };
  const element = h("table", { class: className }, h("caption", { class: "hidden" }, label), h("thead", {}, h("tr", {}, heads)), body);
  const table = { element, current: rows, show: (some) => { table.current = some; draw(some); } };
  draw(rows);
  return table;
}
