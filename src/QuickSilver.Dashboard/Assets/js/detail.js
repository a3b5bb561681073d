// One node or one group, in a dialog that follows the stream.

import { byId, make, setText } from "./dom.js";
import { bytes, count, milliseconds, rate } from "./format.js";
import { Table } from "./table.js";

const dialog = byId("detail");
const body = byId("detail-body");

let shown = null;

export function startDetail() {
  byId("detail-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => (shown = null));
}

export const openNode = (row) => open({ title: row.name, address: `api/nodes/${encodeId(row.id)}`, fill: fillNode() });

export const openGroup = (row) =>
  open({ title: row.name, address: `api/group?name=${encodeURIComponent(row.name)}`, fill: fillGroup() });

/** Asks for the figures of what is open, after each frame. */
export async function refreshDetail() {
  const own = shown;
  if (!own || own.asking) return;
  own.asking = true;
  try {
    const answer = await fetch(own.address);
    if (shown !== own) return;
    if (answer.ok) own.fill(await answer.json());
    else setText(byId("detail-title"), `${own.title} is no longer there`);
  } catch {
    // The stream says what is wrong.
  } finally {
    own.asking = false;
  }
}

function open(next) {
  shown = next;
  setText(byId("detail-title"), next.title);
  body.replaceChildren();
  dialog.showModal();
  refreshDetail();
}

// An id is "10.0.0.5:15001/7": its slash stays.
const encodeId = (id) => id.split("/").map(encodeURIComponent).join("/");

function fillNode() {
  let parts = null;
  return (node) => {
    parts ??= {
      figures: figureList(),
      regions: tableOf("Regions", [
        { title: "Region", text: (row) => String(row.number) },
        { title: "Members", number: true, text: (row) => count(row.members) },
        { title: "Token", number: true, text: (row) => milliseconds(row.tokenMs) },
        { title: "Packets/s", number: true, text: (row) => rate(row.rate) },
        { title: "Limit", number: true, text: (row) => (row.rateLimit > 0 ? rate(row.rateLimit) : "–") },
      ]),
      groups: tableOf("Busiest groups", groupColumns("Group")),
    };
    parts.figures(node.figures);
    parts.regions.show(node.regions);
    parts.groups.show(node.groups);
  };
}

function fillGroup() {
  let table = null;
  return (group) => {
    table ??= tableOf("Nodes that report it", groupColumns("Node"));
    table.show(group.rows);
  };
}

const groupColumns = (title) => [
  { title, text: (row) => row.name },
  { title: "Sent/s", number: true, text: (row) => rate(row.sent) },
  { title: "Received/s", number: true, text: (row) => rate(row.received) },
  { title: "Bytes/s", number: true, text: (row) => bytes(row.bytesReceived) },
  { title: "Pending", number: true, text: (row) => bytes(row.pendingBytes) },
  { title: "Unread", number: true, text: (row) => bytes(row.inboxBytes) },
  { title: "Lost", number: true, text: (row) => count(row.lost) },
];

function figureList() {
  const list = make("dl", { class: "figures" });
  body.append(list);
  return (figures) => {
    list.replaceChildren(...figures.flatMap(({ name, value }) => [make("dt", {}, name), make("dd", {}, value)]));
  };
}

function tableOf(title, columns) {
  const table = make("table", {}, make("caption", {}, title));
  const frame = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": title }, table);
  body.append(make("h3", {}, title), frame);
  return new Table(table, columns);
}
