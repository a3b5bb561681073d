# Draws what `simulator ricochet --part sweep --csv ricochet.csv` wrote:
# gnuplot -e "csv='ricochet.csv'" bench/history/figures/ricochet.gp
set terminal svg size 1000,560 background 'white'
set output 'bench/history/figures/ricochet.svg'
set datafile separator ','
set title 'Ricochet, Figures 10 and 12: 64 nodes, 1 % loss'
set xlabel 'groups a node'
set ylabel 'ms from send to recovery'
set logscale xy
set xrange [2:1024]
set grid
set key outside
plot csv using 1:3 skip 1 with linespoints title 'xor (8,5)', \
  csv using 1:5 skip 1 with linespoints title 'default, field (8,2.2)', \
  csv using 1:9 skip 1 with lines dashtype 2 title 'paper, (8,5)', \
  csv using 1:7 skip 1 with linespoints title 'SRM finds', \
  csv using 1:8 skip 1 with linespoints title 'SRM recovers', \
  csv using 1:10 skip 1 with lines dashtype 3 title 'paper, SRM finds'
