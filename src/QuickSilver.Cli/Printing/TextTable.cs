using System.Text;

namespace QuickSilver.Cli.Printing;

/// <summary>A table of text that fits a width and a height. Columns on the right are left out if need be, rows at the
/// end are counted instead. Cells are made visible (<see cref="TerminalText"/>) and cut. Not thread-safe.</summary>
/// <param name="columns">The titles; those that begin with '&gt;' are of numbers, on the right.</param>
internal sealed class TextTable(params string[] columns)
{
    private const int LongestCell = 40;
    private const string Gap = "  ";
    private readonly List<string[]> _rows = [];

    /// <summary>Adds a row, with a cell for each column.</summary>
    public void Add(params string[] cells) =>
        _rows.Add([.. cells.Select(static cell => TerminalText.Escape(cell, LongestCell))]);

    /// <summary>The lines that fit a room.</summary>
    public IReadOnlyList<string> Lines(TerminalSize room) => Lines(room.Width, room.Height);

    /// <summary>The lines.</summary>
    /// <param name="width">The longest line.</param>
    /// <param name="height">The most lines, at least 3.</param>
    public IReadOnlyList<string> Lines(int width = int.MaxValue, int height = int.MaxValue)
    {
        int shown = _rows.Count + 1 <= height ? _rows.Count : Math.Max(1, height - 2);
        string[] titles = [.. columns.Select(static title => title.TrimStart('>'))];
        int[] widths = [.. titles.Select((title, column) =>
            Math.Max(title.Length, _rows.Take(shown).Max(row => (int?)row[column].Length) ?? 0))];
        var lines = new List<string> { Line(titles, widths, width) };
        lines.AddRange(_rows.Take(shown).Select(row => Line(row, widths, width)));
        if (shown < _rows.Count) lines.Add(Cut($"... and {_rows.Count - shown} more", width));
        return lines;
    }

    private string Line(string[] cells, int[] widths, int width)
    {
        var line = new StringBuilder();
        for (int column = 0; column < cells.Length; column++)
        {
            int end = line.Length + widths[column] + (column > 0 ? Gap.Length : 0);
            if (column > 0 && end > width) break;
            if (column > 0) line.Append(Gap);
            bool isNumber = columns[column][0] == '>';
            line.Append(isNumber ? cells[column].PadLeft(widths[column]) : cells[column].PadRight(widths[column]));
        }
        return Cut(line.ToString().TrimEnd(), width);
    }

    private static string Cut(string line, int width) => line.Length <= width ? line : line[..width];
}
