#!/usr/bin/env bash
# Runs the papers' disturbances in the simulator and draws bench/history/figures/*.svg. Needs gnuplot (Debian: apt-get install gnuplot-nox).
# Usage: draw.sh [DIRECTORY [NAME...]]   reads NAME.csv from the directory when it is there, else runs the disturbance and writes it there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${1:-$(mktemp -d)}
[ $# -gt 0 ] && shift
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(loss loss-100ms loss-250ms loss-500ms crash freeze overload sleep)
command -v gnuplot >/dev/null || { echo "gnuplot is missing: apt-get install gnuplot-nox" >&2; exit 1; }
mkdir -p "$root/bench/history/figures" "$work"
for name in "${names[@]}"; do
  if [ ! -s "$work/$name.csv" ]; then
    dotnet run -c Release --project "$root/bench/QuickSilver.Simulator" -- disturbance "$name" --json "$work/$name.json" --csv "$work/$name.csv"
  fi
  gnuplot -e "name='$name'; input='$work/$name.csv'; output='$root/bench/history/figures/$name.svg'" "$here/disturbance.gp"
done
