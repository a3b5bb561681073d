# Draws the curves of `QuickSilver.Scenarios disturb --csv DIR`:  gnuplot -e "dir='DIR'" bench/history/figures/real.gp
set datafile separator ','
set datafile missing ''
set terminal svg size 760,300 dynamic font 'sans-serif,11' background '#ffffff'
set xlabel 'seconds'
set ylabel 'messages/s'
set yrange [0:*]
set grid ytics lc rgb '#dddddd'
set key outside right top samplen 1.5
do for [name in 'loss loss-500ms loss-250ms loss-100ms crash freeze overload sleep'] {
    set output sprintf('bench/history/figures/real-%s.svg', name)
    set title sprintf('%s: ten processes on one machine', name)
    file = sprintf('%s/%s.csv', dir, name)
    plot file using 1:4 skip 1 with lines lw 1.2 lc rgb '#cc3311' title 'victim', \
         file using 1:3 skip 1 with lines lw 1.2 lc rgb '#0077bb' title 'another receiver', \
         file using 1:2 skip 1 with lines lw 1.2 dt 2 lc rgb '#333333' title 'sent'
}
