// Tables whose rows stay where they are: a new figure changes a text, so that focus and selection stay.

import { make, resize, setAttribute, setClass, setText } from "./dom.js";

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {(row) => string} text
 * @property {string} [sort] the order that its heading asks for
 * @property {boolean} [ascending] whether that order begins with the smallest
 * @property {boolean} [number]
 * @property {boolean} [wrap]
 * @property {(row) => string} [mark] a class for its cell: warn, bad
 * @property {(row) => ?{value: number, label: string}} [meter] a share from 0 to 1, drawn beside the text
 */

export class Table {
  /**
   * @param {HTMLTableElement} table one with a caption alone
   * @param {Column[]} columns the first is the row's heading
   * @param {{onSort?: (sort: string) => void, onOpen?: (row) => void}} [told]
   */
  constructor(table, columns, told = {}) {
    this.columns = columns;
    this.told = told;
    this.rows = [];
    this.headings = columns.map((column) => this.#heading(column));
    this.body = make("tbody");
    table.append(make("thead", {}, make("tr", {}, ...this.headings)), this.body);
  }

  /** Shows rows in the order in which the server gives them. */
  show(rows, sort) {
    this.rows = rows;
    this.columns.forEach((column, index) => {
      const order = column.sort && column.sort === sort ? (column.ascending ? "ascending" : "descending") : null;
      setAttribute(this.headings[index], "aria-sort", order);
    });
    const lines = resize(this.body, rows.length, () => this.#line());
    rows.forEach((row, index) => this.#fill(lines[index], row));
  }

  #heading(column) {
    const cell = make("th", { scope: "col", class: column.number ? "number" : null });
    if (!column.sort || !this.told.onSort) {
      cell.append(column.title);
      return cell;
    }
    const button = make("button", { type: "button" }, column.title);
    button.addEventListener("click", () => this.told.onSort(column.sort));
    cell.append(button);
    return cell;
  }

  #line() {
    const line = make("tr");
    this.columns.forEach((column, index) => line.append(index === 0 ? this.#first(line) : this.#cell(column)));
    return line;
  }

  #first(line) {
    const cell = make("th", { scope: "row" });
    if (!this.told.onOpen) return cell;
    const button = make("button", { type: "button" });
    button.addEventListener("click", () => this.told.onOpen(this.rows[[...this.body.children].indexOf(line)]));
    cell.append(button);
    return cell;
  }

  #cell(column) {
    const cell = make("td");
    if (column.meter) cell.append(make("span"), make("meter", { min: "0", max: "1", high: "0.9" }));
    return cell;
  }

  #fill(line, row) {
    this.columns.forEach((column, index) => {
      const cell = line.children[index];
      const text = column.text(row);
      if (index === 0) {
        setText(cell.firstElementChild ?? cell, text);
        setAttribute(cell, "title", text);
        return;
      }
      const names = [column.number && "number", column.wrap && "wrap", column.mark?.(row)].filter(Boolean);
      setClass(cell, names.join(" "));
      if (!column.meter) setText(cell, text);
      else fillMeter(cell, text, column.meter(row));
    });
  }
}

function fillMeter(cell, text, share) {
  const [label, meter] = cell.children;
  setText(label, text);
  meter.hidden = !share;
  if (!share) return;
  meter.value = Math.min(1, Math.max(0, share.value));
  setAttribute(meter, "aria-label", share.label);
}
