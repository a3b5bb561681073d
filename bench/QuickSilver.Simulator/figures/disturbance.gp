# One curve of a disturbance: gnuplot -e "name='crash'; input='crash.csv'; output='crash.svg'" disturbance.gp
set terminal svg size 900,620 dynamic font 'sans,13' background '#ffffff'
set output output
set datafile separator ','
set grid lc rgb '#dddddd'
set key outside bottom center horizontal
set multiplot layout 2,1 title name font 'sans,15'
set lmargin 10
set rmargin 10
set xlabel ''
set ylabel 'messages/s'
set yrange [0:*<14000]
plot input using 1:2 every ::1 with lines lw 1 lc rgb '#1f77b4' title 'sent', \
     input using 1:3 every ::1 with lines lw 1.5 lc rgb '#2ca02c' title 'undisturbed receiver', \
     input using 1:4 every ::1 with lines lw 1.5 lc rgb '#d62728' title 'disturbed node'
set xlabel 'seconds'
set ylabel 'pending messages'
set y2label 'token round, ms'
set yrange [0:*]
set y2range [0:*]
set ytics nomirror
set y2tics
plot input using 1:6 every ::1 with lines lw 1.5 lc rgb '#9467bd' title 'pending', \
     input using 1:9 every ::1 axes x1y2 with lines lw 1 lc rgb '#ff7f0e' title 'token round'
unset multiplot
