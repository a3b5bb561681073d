using System.Globalization;
using System.Text;
using Spectre.Console;

namespace QuickSilver.Scenarios.Wide;

/// <summary>A table of the third paper, drawn again.</summary>
/// <param name="Title">Which it is, and its unit.</param>
/// <param name="Heads">The columns.</param>
internal sealed record WideTable(string Title, params string[] Heads)
{
    private readonly List<string[]> _rows = [];

    /// <summary>The rows, each as long as the heads.</summary>
    public IReadOnlyList<string[]> Rows => _rows;

    /// <summary>Adds a row.</summary>
    public void Add(params string[] cells) => _rows.Add(cells);

    /// <summary>As Markdown, with its title.</summary>
    public string ToMarkdown()
    {
        var text = new StringBuilder($"## {Title}\n\n");
        foreach (string[] row in (string[][])[Heads, [.. Heads.Select(static _ => "---")], .. _rows])
            text.Append(CultureInfo.InvariantCulture, $"| {string.Join(" | ", row)} |\n");
        return text.ToString();
    }

    /// <summary>For the console.</summary>
    public Table ToTable()
    {
        Table table = new Table().Border(TableBorder.Simple).Title(Title);
        foreach (string head in Heads) table.AddColumn(head);
        foreach (string[] row in _rows) table.AddRow(row);
        return table;
    }

    /// <summary>Milliseconds.</summary>
    public static string Ms(double value) => value.ToString("F1", CultureInfo.InvariantCulture);

    /// <summary>Bits as megabits.</summary>
    public static string Mega(double bits) => (bits / 1_000_000).ToString("F2", CultureInfo.InvariantCulture);

    /// <summary>A share as percent.</summary>
    public static string Percent(double share) => (share * 100).ToString("F1", CultureInfo.InvariantCulture) + " %";
}
