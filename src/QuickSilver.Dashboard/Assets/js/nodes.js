// The table of nodes.

import { byId } from "./dom.js";
import { bytes, count, milliseconds, percent, rate, seconds } from "./format.js";
import { Pager } from "./pager.js";
import { Table } from "./table.js";
import { changeView } from "./view.js";

const columns = [
  { title: "Node", text: (row) => row.name, sort: "name", ascending: true },
  {
    title: "State",
    text: (row) => (row.silent ? `silent for ${seconds(row.ageSeconds)}` : row.state),
    mark: (row) => (row.silent ? "bad" : row.state === "Running" ? "" : "warn"),
    sort: "age",
  },
  { title: "Sent/s", number: true, text: (row) => rate(row.sent), sort: "sent" },
  { title: "Received/s", number: true, text: (row) => rate(row.received), sort: "received" },
  { title: "Bytes/s", number: true, text: (row) => bytes(row.bytesReceived), sort: "bytes" },
  {
    title: "Rate of limit, packets/s",
    number: true,
    text: (row) => (row.rateLimit > 0 ? `${rate(row.rateActual)} of ${rate(row.rateLimit)}` : rate(row.rateActual)),
    meter: (row) =>
      row.rateLimit > 0 ? { value: row.rateActual / row.rateLimit, label: `rate of the limit of ${row.name}` } : null,
    sort: "rate",
  },
  { title: "Missed/s", number: true, text: (row) => rate(row.missed), sort: "missed" },
  {
    title: "Repaired/s",
    number: true,
    text: (row) => rate(row.repairsFromPeers + row.repairsFromSenders),
    sort: "repairs",
  },
  {
    title: "Lost",
    number: true,
    text: (row) => count(row.lost),
    mark: (row) => (row.lost > 0 ? "bad" : ""),
    sort: "lost",
  },
  { title: "Token", number: true, text: (row) => milliseconds(row.tokenMs), sort: "token" },
  {
    title: "Loop",
    number: true,
    text: (row) => percent(row.loop),
    meter: (row) => ({ value: row.loop, label: `loop use of ${row.name}` }),
    sort: "loop",
  },
  { title: "Pending", number: true, text: (row) => bytes(row.pendingBytes), sort: "pending" },
  { title: "Unread", number: true, text: (row) => bytes(row.inboxBytes), sort: "inbox" },
  { title: "Groups", number: true, text: (row) => count(row.groups), sort: "groups" },
  { title: "Version", text: (row) => row.version },
];

let table;
let pager;

export function startNodes(onOpen) {
  table = new Table(byId("nodes-table"), columns, {
    onOpen,
    onSort: (nodeSort) => changeView({ nodeSort, nodePage: 0 }),
  });
  pager = new Pager(byId("nodes-pager"), "nodes", (nodePage) => changeView({ nodePage }));
}

export function showNodes(page) {
  table.show(page.rows, page.sort);
  pager.show(page);
}
