# Draws what `simulator ricochet --part processor --processor-csv FILE` wrote:
# gnuplot -e "csv='FILE'" bench/history/figures/ricochet-processor.gp
set terminal svg size 1000,420 background 'white'
set output 'bench/history/figures/ricochet-processor.svg'
set datafile separator ','
set title 'Ricochet, Figure 13: processor time of a packet that arrives, 64 nodes, 1 % loss'
set xlabel 'groups a node'
set ylabel 'microseconds'
set logscale xy
set yrange [0.5:500]
set grid
set key outside
plot csv using 1:2 skip 1 with linespoints title 'xor (8,5)', \
  csv using 1:3 skip 1 with linespoints title 'default, field (8,2.2)', \
  csv using 1:4 skip 1 with lines dashtype 2 title 'paper, (8,5), 1.3 GHz'
