// How does a table sort? By a click on a heading; a cell without a value stays last either way.

/**
 * @param {{name?: string, more?: boolean, head: Child[] | Child, title?: string, numeric?: boolean, key: (row: any) => number | string | null,
 *          cell: (row: any) => any}[]} columns
 * @param {any[]} rows
 * @param {{label: string, className?: string, sorted?: (name: string, order: string) => void}} options `sorted` is told the name
 *        of the column that was clicked, and "up" or "down"
 */
function sortable(columns, rows, { label, className = "", sorted }) {
  const body = h("tbody");
  const heads = columns.map((column, at) => {
    const button = h("button", { type: "button", title: column.title, on: { click: () => clicked(at) } }, column.head);
    return h("th", { scope: "col", class: [column.numeric ? "n" : "", column.more ? "more" : ""].join(" ").trim() || null, "aria-sort": "none" }, button);
  });
  const drawnCell = (column, row) => {
    const cell = column.cell(row);
    if (column.more) cell.classList.add("more");
    return cell;
  };
  const draw = (some) => fill(body, some.map((row) => h("tr", {}, columns.map((column) => drawnCell(column, row)))));
  const clicked = (at) => {
    const before = heads[at].getAttribute("aria-sort");
    const isUp = before === "none" ? !columns[at].numeric : before === "descending";
    sort(at, isUp);
    sorted?.(columns[at].name, isUp ? "up" : "down");
  };
  const sort = (at, isUp) => {
    const { numeric, key } = columns[at];
    for (const head of heads) head.setAttribute("aria-sort", "none");
    heads[at].setAttribute("aria-sort", isUp ? "ascending" : "descending");
    table.current = [...table.current].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      const order = numeric ? x - y : x < y ? -1 : x > y ? 1 : 0;
      return isUp ? order : -order;
    });
    draw(table.current);
  };
  const element = h("table", { class: className }, h("caption", { class: "hidden" }, label), h("thead", {}, h("tr", {}, heads)), body);
  const table = {
    element, current: rows,
    /** Show these rows, sorted by the column of that name, if there is one. */
    show: (some, name, order) => {
      table.current = some;
      for (const head of heads) head.setAttribute("aria-sort", "none");
      const at = name === undefined ? -1 : columns.findIndex((one) => one.name === name);
      if (at < 0) draw(some);
      else sort(at, order === "up");
    },
  };
  draw(rows);
  return table;
}
