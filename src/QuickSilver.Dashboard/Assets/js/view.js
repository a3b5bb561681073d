// What the page shows: the pages and orders of its tables. It stands in the address, so that it can be sent to others.

const defaults = { nodePage: 0, nodeSort: "name", regionPage: 0, groupPage: 0, groupSort: "bytes" };

const view = { ...defaults };
const listeners = [];

function read() {
  const given = new URLSearchParams(location.search);
  for (const [key, fallback] of Object.entries(defaults)) {
    const text = given.get(key);
    if (typeof fallback === "string") view[key] = text && /^[a-z]+$/i.test(text) ? text : fallback;
    else view[key] = text && /^\d{1,6}$/.test(text) ? Number(text) : fallback;
  }
}

function toQuery(all) {
  const query = new URLSearchParams();
  for (const [key, fallback] of Object.entries(defaults)) {
    if (all || view[key] !== fallback) query.set(key, view[key]);
  }
  return query.toString();
}

/** The present view as a query of the server. */
export const viewQuery = () => toQuery(true);

/** Changes parts of the view, and tells those that listen. */
export function changeView(change) {
  Object.assign(view, change);
  const query = toQuery(false);
  history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
  for (const listener of listeners) listener();
}

export const onViewChange = (listener) => listeners.push(listener);

/** The server did not know the view: back to what it knows. */
export function resetView() {
  changeView(defaults);
}

read();
