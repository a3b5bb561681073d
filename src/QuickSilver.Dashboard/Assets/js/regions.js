// Members and regions: a matrix.

import { byId, make, resize, setAttribute, setClass, setText } from "./dom.js";
import { milliseconds, rate } from "./format.js";
import { Pager } from "./pager.js";
import { changeView } from "./view.js";

const figures = [
  ["Members", (region) => String(region.members)],
  ["Token", (region) => milliseconds(region.tokenMs)],
  ["Packets/s", (region) => rate(region.rate)],
  ["Limit", (region) => (region.rateLimit > 0 ? rate(region.rateLimit) : "–")],
];

const head = make("thead");
const body = make("tbody");
let pager;

export function startRegions() {
  byId("regions-table").append(head, body);
  pager = new Pager(byId("regions-pager"), "regions", (regionPage) => changeView({ regionPage }));
}

export function showRegions(matrix) {
  const { regions, rows } = matrix;
  const lines = resize(head, 1 + figures.length, () => make("tr"));
  fill(lines[0], "Region", "col", regions.map((region) => String(region.number)), "th");
  figures.forEach(([title, text], index) => fill(lines[index + 1], title, "row", regions.map(text), "td"));
  const members = resize(body, rows.length, () => make("tr"));
  rows.forEach((row, index) => {
    const inside = new Set(row.in);
    const cells = regions.map((_, column) => (inside.has(column) ? "●" : ""));
    fill(members[index], row.name, "row", cells, "td");
    regions.forEach((_, column) => {
      const cell = members[index].children[column + 1];
      setClass(cell, inside.has(column) ? "in" : "");
      setAttribute(cell, "aria-label", inside.has(column) ? "in" : "not in");
    });
  });
  pager.show(matrix);
}

function fill(line, title, scope, texts, tag) {
  if (!line.firstElementChild) line.append(make("th", { scope }));
  setText(line.firstElementChild, title);
  setAttribute(line.firstElementChild, "title", title);
  while (line.children.length > texts.length + 1) line.lastElementChild.remove();
  while (line.children.length < texts.length + 1) line.append(make(tag, tag === "th" ? { scope: "col" } : {}));
  texts.forEach((text, index) => setText(line.children[index + 1], text));
}
