// Who loses packets, and who repairs them.

import { byId } from "./dom.js";
import { count } from "./format.js";
import { Table } from "./table.js";

let table;

export function startRepairs(onOpen) {
  table = new Table(
    byId("repairs-table"),
    [
      { title: "Node", text: (row) => row.name },
      { title: "Repaired", number: true, text: (row) => count(row.fromPeers + row.fromSenders) },
      { title: "By neighbours", number: true, text: (row) => count(row.fromPeers) },
      { title: "By senders", number: true, text: (row) => count(row.fromSenders) },
      { title: "Missed", number: true, text: (row) => count(row.missed) },
      { title: "Dropped by the kernel", number: true, text: (row) => count(row.socketDrops) },
      { title: "Repairs given", number: true, text: (row) => count(row.given) },
    ],
    { onOpen },
  );
}

export function showRepairs(rows) {
  byId("repairs-none").hidden = rows.length > 0;
  byId("repairs-scroll").hidden = rows.length === 0;
  table.show(rows);
}
