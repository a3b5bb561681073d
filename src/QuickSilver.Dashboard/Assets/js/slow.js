// Who is slow, and why.

import { byId } from "./dom.js";
import { count, list, seconds } from "./format.js";
import { Table } from "./table.js";

const reasons = {
  Silent: "Silent: stopped, cut off, or busy for long",
  ReadingSlowly: "Reads its socket slowly: its core has too little time",
  Losing: "Loses packets on the way to it",
  AnswersLate: "Answers late: it stands still at times",
  SlowHandlers: "Its handlers take most of its time",
};

let table;

export function startSlow(onOpen) {
  table = new Table(
    byId("slow-table"),
    [
      { title: "Member", text: (row) => row.name },
      {
        title: "Why",
        wrap: true,
        text: (row) => reasons[row.reason] ?? row.reason,
        mark: (row) => (row.holdsUp ? "bad" : "warn"),
      },
      { title: "Holds up", text: (row) => (row.holdsUp ? "yes" : "late") },
      { title: "Packets", number: true, text: (row) => count(row.packets) },
      { title: "For", number: true, text: (row) => seconds(row.seconds) },
      { title: "Regions", text: (row) => list(row.regions.map(String), 3) },
      { title: "Groups", wrap: true, text: (row) => list(row.groups, 3) },
    ],
    { onOpen },
  );
}

export function showSlow(rows) {
  byId("slow-none").hidden = rows.length > 0;
  byId("slow-scroll").hidden = rows.length === 0;
  table.show(rows);
}
