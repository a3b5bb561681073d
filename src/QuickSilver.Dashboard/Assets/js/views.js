// The view timeline: who came and who went, newest first.

import { byId, make, resize, setAttribute, setText } from "./dom.js";
import { count, list, time } from "./format.js";

export function showViews(changes) {
  byId("views-none").hidden = changes.length > 0;
  const lines = resize(byId("views-list"), changes.length, () => make("li", {}, make("time"), make("span")));
  changes.forEach((change, index) => {
    const [when, what] = lines[index].children;
    setAttribute(when, "datetime", change.time);
    setText(when, time(change.time));
    setText(what, describe(change));
  });
}

function describe(change) {
  const parts = [];
  if (change.joined.length > 0) parts.push(`joined: ${list(change.joined)}`);
  if (change.left.length > 0) parts.push(`left: ${list(change.left)}`);
  if (parts.length === 0) parts.push("changed");
  const groups = change.groups === 1 ? "group" : "groups";
  return `${parts.join("; ")} (${count(change.groups)} ${groups}, seen by ${change.node})`;
}
