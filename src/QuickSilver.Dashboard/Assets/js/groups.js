// The table of groups.

import { byId, setText } from "./dom.js";
import { bytes, count, rate } from "./format.js";
import { Pager } from "./pager.js";
import { Table } from "./table.js";
import { changeView } from "./view.js";

const columns = [
  { title: "Group", text: (row) => row.name, sort: "name", ascending: true },
  { title: "Mode", text: (row) => row.mode },
  { title: "Members", number: true, text: (row) => count(row.members), sort: "members" },
  { title: "Regions", number: true, text: (row) => count(row.regions) },
  { title: "Sent/s", number: true, text: (row) => rate(row.sent), sort: "sent" },
  { title: "Received/s", number: true, text: (row) => rate(row.received), sort: "received" },
  { title: "Bytes/s", number: true, text: (row) => bytes(row.bytesReceived), sort: "bytes" },
  { title: "Pending", number: true, text: (row) => bytes(row.pendingBytes), sort: "pending" },
  { title: "Unread", number: true, text: (row) => bytes(row.inboxBytes), sort: "inbox" },
  { title: "Slowest reader", text: (row) => row.slowestReader ?? "–" },
  {
    title: "Lost",
    number: true,
    text: (row) => count(row.lost),
    mark: (row) => (row.lost > 0 ? "bad" : ""),
    sort: "lost",
  },
  { title: "Dropped", number: true, text: (row) => count(row.dropped), sort: "dropped" },
];

let table;
let pager;

export function startGroups(onOpen) {
  table = new Table(byId("groups-table"), columns, {
    onOpen,
    onSort: (groupSort) => changeView({ groupSort, groupPage: 0 }),
  });
  pager = new Pager(byId("groups-pager"), "groups", (groupPage) => changeView({ groupPage }));
}

export function showGroups(page, ofAll) {
  setText(byId("groups-note"), `${count(page.total)} groups are reported; the node with most is in ${count(ofAll)}.`);
  table.show(page.rows, page.sort);
  pager.show(page);
}
