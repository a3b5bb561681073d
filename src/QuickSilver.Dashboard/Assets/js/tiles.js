// The cluster in a dozen figures.

import { byId, make, setText } from "./dom.js";
import { bytes, count, milliseconds, percent, rate } from "./format.js";

const tiles = [
  ["Nodes", (o) => (o.silent ? `${count(o.nodes)}, ${count(o.silent)} silent` : count(o.nodes))],
  ["Groups", (o) => count(o.groups)],
  ["Regions", (o) => count(o.regions)],
  ["Sent, messages/s", (o) => rate(o.sent)],
  ["Received, messages/s", (o) => rate(o.received)],
  ["Received, bytes/s", (o) => bytes(o.bytesReceived)],
  ["Missed, packets/s", (o) => rate(o.missed)],
  ["Repaired, packets/s", (o) => rate(o.repairsFromPeers + o.repairsFromSenders)],
  ["Lost messages", (o) => count(o.lost)],
  ["Longest token round", (o) => milliseconds(o.tokenMs)],
  ["Busiest loop", (o) => percent(o.loopMax)],
  ["Pending", (o) => bytes(o.pendingBytes)],
  ["Unread", (o) => bytes(o.inboxBytes)],
];

const values = tiles.map(([title]) => {
  const value = make("dd", {}, "–");
  byId("tiles").append(make("div", {}, make("dt", {}, title), value));
  return value;
});

export function showTiles(overview) {
  setText(byId("cluster"), overview.cluster);
  tiles.forEach(([, text], index) => setText(values[index], text(overview)));
}
