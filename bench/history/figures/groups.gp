# Draws what `QuickSilver.Scenarios groups --variant quicksilver --send async --svg FILE.svg` wrote beside its plots:
#   gnuplot -e "file='FILE.csv'" bench/history/figures/groups.gp
set datafile separator ','
stats file using ($1 == 64 && $2 == 1 ? $3 : 1/0) skip 1 nooutput name 'A'
stats file using ($1 == 1000 && $2 == 1 ? $3 : 1/0) skip 1 nooutput name 'B'
set terminal svg size 700,380 dynamic font 'sans-serif,11' background '#ffffff'
set output 'bench/history/figures/groups.svg'
set logscale x
set xrange [0.9:10000]
set yrange [0:1.4]
set grid lc rgb '#dddddd'
set key inside bottom left samplen 1.5
set xlabel 'groups that messages go to in turn'
set ylabel 'rate, one group = 1'
set label 'QSM, 1,000 bytes, 6,000 groups (000, Figure 3): 0.96' at 5200,1.02 right tc rgb '#333333'
set label '' at 6000,0.96 point pt 2 ps 0.8 lc rgb '#333333'
plot file using ($1 == 64 ? $2 : 1/0):($3 / A_max) skip 1 \
        with linespoints pt 7 ps 0.5 lc rgb '#0077bb' title '64 bytes', \
    file using ($1 == 1000 ? $2 : 1/0):($3 / B_max) skip 1 \
        with linespoints pt 7 ps 0.5 lc rgb '#cc3311' title '1,000 bytes'
