// Lines over the last minutes, drawn by uPlot. What they show stands in the tables too.

import { byId } from "./dom.js";
import { time } from "./format.js";

/* global uPlot */

const longest = 300;
const height = 150;

const charts = [
  { id: "chart-messages", lines: [["sent", (p) => p.sent], ["received", (p) => p.received]] },
  {
    id: "chart-loss",
    lines: [
      ["missed", (p) => p.missed],
      ["from neighbours", (p) => p.repairsFromPeers],
      ["from senders", (p) => p.repairsFromSenders],
    ],
  },
  { id: "chart-token", lines: [["longest", (p) => p.tokenMs]] },
  { id: "chart-loop", lines: [["busiest", (p) => 100 * p.loopMax], ["mean", (p) => 100 * p.loopMean]] },
];

let points = [];

/** Draws empty charts, and again when colours or widths change. */
export function startCharts() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(resize).observe(byId("charts"));
  draw();
}

/** Adds the figures of a frame. The first one asks for those before it, which the server remembers. */
export function addPoint(overview) {
  if (points.length === 0) addHistory();
  if (overview.point.time <= (points.at(-1)?.time ?? 0)) return;
  points.push(overview.point);
  if (points.length > longest) points.shift();
  update();
}

async function addHistory() {
  try {
    const answer = await fetch("api/history");
    if (!answer.ok) return;
    const earlier = await answer.json();
    points = [...earlier.filter((point) => point.time < points[0].time), ...points];
    update();
  } catch {
    // The stream says what is wrong.
  }
}

function draw() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
  for (const chart of charts) {
    chart.plot?.destroy();
    const root = byId(chart.id);
    const series = chart.lines.map(([label], index) => ({
      label,
      stroke: colour(`--series-${index + 1}`),
      width: 1.5,
      points: { show: false },
    }));
    const options = {
      width: Math.max(100, root.clientWidth),
      height,
      padding: [8, 8, 0, 0],
      cursor: { show: false },
      legend: { live: false },
      scales: { y: { range: (_, low, high) => [0, Math.max(1, high * 1.1)] } },
      axes: [{ ...axis, space: 90, values: clock }, { ...axis, size: 56 }],
      series: [{ label: "time" }, ...series],
    };
    chart.plot = new uPlot(options, data(chart), root);
    chart.plot.root.setAttribute("aria-hidden", "true");
  }
}

const clock = (_, places) => places.map((place) => time(place * 1000));

function update() {
  for (const chart of charts) chart.plot?.setData(data(chart));
}

function resize() {
  for (const chart of charts) {
    const width = Math.max(100, byId(chart.id).clientWidth);
    if (chart.plot && chart.plot.width !== width) chart.plot.setSize({ width, height });
  }
}

const data = (chart) => [points.map((point) => point.time), ...chart.lines.map(([, of]) => points.map(of))];
