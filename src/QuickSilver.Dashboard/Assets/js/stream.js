// The stream of events: one at a time, none while the page is hidden, opened again after a pause when it has ended.

import { resetView, viewQuery } from "./view.js";

const firstPause = 1000;
const longestPause = 15000;

/**
 * Opens the stream of the present view.
 * @param {{onFrame: (frame) => void, onState: (state: string, text: string) => void}} told
 * @returns {() => void} opens it again, as for another view
 */
export function openStream(told) {
  let source = null;
  let timer = 0;
  let pause = firstPause;

  function close() {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  function open() {
    close();
    if (document.hidden) return;
    const own = new EventSource(`events?${viewQuery()}`);
    source = own;
    own.addEventListener("frame", (event) => {
      pause = firstPause;
      told.onFrame(JSON.parse(event.data));
    });
    own.addEventListener("trouble", (event) => {
      pause = firstPause;
      told.onState("trouble", JSON.parse(event.data).text);
    });
    own.addEventListener("error", () => {
      if (source === own) retry();
    });
  }

  // A browser gives up on a stream that is refused, so the page asks why, and tries again by itself.
  async function retry() {
    close();
    timer = setTimeout(open, pause);
    pause = Math.min(2 * pause, longestPause);
    const text = await reason();
    if (source === null) told.onState("trouble", text);
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      close();
      told.onState("paused", "Paused while the page is hidden");
    } else {
      open();
    }
  });
  addEventListener("pagehide", close);
  open();
  return open;
}

async function reason() {
  const end = new AbortController();
  try {
    const answer = await fetch(`events?${viewQuery()}`, { signal: end.signal });
    if (answer.ok) return "The stream has ended. Trying again";
    if (answer.status === 400) resetView();
    const isProblem = answer.headers.get("content-type")?.startsWith("application/problem+json");
    return isProblem ? `${(await answer.json()).title}. Trying again` : `The server answers ${answer.status}`;
  } catch {
    return "The server cannot be reached. Trying again";
  } finally {
    end.abort();
  }
}
