using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace QuickSilver.Bench.Reports;

/// <summary>Draws figures as SVG by gnuplot, which has to be installed.</summary>
internal static class Plot
{
    private const double WideAxis = 50;

    /// <summary>A bar for each name, with a whisker from the lowest to the highest repetition.</summary>
    /// <param name="path">The SVG file.</param>
    /// <param name="title">Above it.</param>
    /// <param name="unit">Of the axis.</param>
    /// <param name="bars">From left to right.</param>
    /// <exception cref="InvalidOperationException">gnuplot is missing or refused.</exception>
    public static void Bars(string path, string title, string unit, IReadOnlyList<VariantSummary> bars)
    {
        var data = new StringBuilder();
        foreach (VariantSummary bar in bars)
        {
            data.Append(
                CultureInfo.InvariantCulture, $"\"{bar.Variant}\" {bar.Median:R} {bar.Lowest:R} {bar.Highest:R}\n");
        }
        Draw(
            path,
            $"set title \"{title}\" noenhanced\n"
            + $"set ylabel \"{unit}\" noenhanced\n"
            + "set style fill solid 0.7\n"
            + "set boxwidth 0.7\n"
            + "set xtics rotate by -35 noenhanced\n"
            + "set yrange [0:*]\n"
            + "set format y '%.0s%c'\n"
            + "set grid ytics\n"
            + "unset key\n"
            + $"$data << END\n{data}END\n"
            + "plot $data using 0:2:xtic(1) with boxes lc rgb '#3a6ea5', $data using 0:2:3:4 with yerrorbars lc rgb "
            + "'black' pt 7 ps 0.3\n");
    }

    /// <summary>A line for each name over a common axis, with whiskers.</summary>
    /// <param name="path">The SVG file.</param>
    /// <param name="title">Above it.</param>
    /// <param name="across">What the horizontal axis is.</param>
    /// <param name="unit">Of the vertical axis.</param>
    /// <param name="points">Any order; those of a variant make its line.</param>
    /// <exception cref="InvalidOperationException">gnuplot is missing or refused.</exception>
    public static void Lines(
        string path, string title, string across, string unit, IReadOnlyList<(double X, VariantSummary Y)> points)
    {
        var data = new StringBuilder();
        var plots = new List<string>();
        foreach (IGrouping<string, (double X, VariantSummary Y)> line in points.GroupBy(point => point.Y.Variant))
        {
            data.Append(CultureInfo.InvariantCulture, $"$line{plots.Count} << END\n");
            foreach ((double x, VariantSummary y) in line.OrderBy(point => point.X))
            {
                data.Append(CultureInfo.InvariantCulture, $"{x:R} {y.Median:R} {y.Lowest:R} {y.Highest:R}\n");
            }
            data.Append("END\n");
            plots.Add($"$line{plots.Count} using 1:2:3:4 with yerrorlines pt 7 ps 0.5 title \"{line.Key}\" noenhanced");
        }
        bool isWide = points.Count > 0 && points.Min(point => point.X) > 0
            && points.Max(point => point.X) / points.Min(point => point.X) >= WideAxis;
        Draw(
            path,
            $"set title \"{title}\" noenhanced\n"
            + $"set xlabel \"{across}\" noenhanced\n"
            + $"set ylabel \"{unit}\" noenhanced\n"
            + "set yrange [0:*]\n"
            + "set format y '%.0s%c'\n"
            + "set grid\n"
            + "set key outside\n"
            + (isWide ? "set logscale x\n" : "")
            + $"{data}plot {string.Join(", ", plots)}\n");
    }

    private static void Draw(string path, string script)
    {
        var start = new ProcessStartInfo(
            "gnuplot", ["-"])
        { RedirectStandardInput = true, RedirectStandardError = true };
        try
        {
            using Process gnuplot = Process.Start(start)!;
            Task<string> errors = gnuplot.StandardError.ReadToEndAsync();
            gnuplot.StandardInput.Write(
                $"set terminal svg size 1000,560 background 'white'\nset output '{path}'\n{script}");
            gnuplot.StandardInput.Close();
            gnuplot.WaitForExit();
            if (gnuplot.ExitCode != 0) throw new InvalidOperationException($"gnuplot: {errors.Result.Trim()}");
        }
        catch (System.ComponentModel.Win32Exception missing)
        {
            throw new InvalidOperationException("gnuplot is not installed (Debian: gnuplot-nox)", missing);
        }
    }
}
