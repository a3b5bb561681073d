// The page: each section shows its part of a frame.

import { addPoint, startCharts } from "./charts.js";
import { openGroup, openNode, refreshDetail, startDetail } from "./detail.js";
import { byId, setAttribute, setText } from "./dom.js";
import { showGroups, startGroups } from "./groups.js";
import { showNodes, startNodes } from "./nodes.js";
import { showRegions, startRegions } from "./regions.js";
import { showRepairs, startRepairs } from "./repairs.js";
import { showSlow, startSlow } from "./slow.js";
import { openStream } from "./stream.js";
import { showTiles } from "./tiles.js";
import { onViewChange } from "./view.js";
import { showViews } from "./views.js";

startSlow(openNode);
startNodes(openNode);
startRepairs(openNode);
startRegions();
startGroups(openGroup);
startDetail();
startCharts();
onViewChange(openStream({ onFrame: show, onState: showState }));

function show(frame) {
  showState("live", "Live");
  showTiles(frame.overview);
  addPoint(frame.overview);
  showSlow(frame.slow);
  showNodes(frame.nodes);
  showRepairs(frame.repairs);
  showRegions(frame.matrix);
  showGroups(frame.groups, frame.overview.mostGroups);
  showViews(frame.views);
  refreshDetail();
}

// Read aloud when it changes, and only then.
function showState(state, text) {
  const line = byId("state");
  setAttribute(line, "data-state", state);
  setText(line, text);
}
