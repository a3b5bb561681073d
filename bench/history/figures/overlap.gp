# Draws the figures of `QuickSilver.Simulator overlap --csv FILE`:  gnuplot -e "file='FILE'" bench/history/figures/overlap.gp
set datafile separator ','
set terminal svg size 900,380 dynamic font 'sans-serif,11' background '#ffffff'
set output 'bench/history/figures/overlap.svg'
patterns = "'nested halves' 'disjoint thirds' 'random thirds' 'one region a node' 'Zipf popularity'"
colours = "#0077bb #009988 #cc3311 #333333 #ee7733"
is(pattern) = strcol(1) eq pattern && (strcol(2) eq 'exact' || substr(strcol(2), 1, 6) eq 'merged')
set grid lc rgb '#dddddd'
set ylabel 'copies a message'
set yrange [0:16]
set multiplot layout 1,2
set key inside top left samplen 1.5
set title '16 nodes, 1,000 groups: copies by regions'
set xlabel 'regions (rightmost: exact)'
set xrange [0:17]
plot for [line=1:5] file using (is(word(patterns, line)) ? column(3) : NaN):5 skip 1 \
    with linespoints lw 1.3 pt 7 ps 0.4 lc rgb word(colours, line) title word(patterns, line)
set key off
set title 'copies, and what receivers filter'
set xlabel 'share of packets filtered, one message a packet'
set xrange [-0.02:1]
set yrange [0:6]
plot for [line=1:5] file using (is(word(patterns, line)) ? column(7) : NaN):5 skip 1 \
    with linespoints lw 1.3 pt 7 ps 0.4 lc rgb word(colours, line) notitle
unset multiplot
