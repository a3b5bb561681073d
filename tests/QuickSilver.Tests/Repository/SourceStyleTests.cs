using System.Text.RegularExpressions;

namespace QuickSilver.Tests.Repository;

/// <summary>The sources have short lines; they and the pages avoid words that few readers know.</summary>
public sealed partial class SourceStyleTests
{
    private const int LongestLine = 120;

    // Code that a page shows keeps the page's lines.
    private static readonly string[] Shown =
        ["StartSnippets.cs", "FailureSnippets.cs", "ReadmePrograms.cs", "ServiceSnippets.cs"];

    [Fact]
    public void No_line_of_code_is_longer_than_120_columns()
    {
        var found = new List<string>();
        foreach (string file in Sources("src", "tests", "samples", "bench"))
        {
            if (Shown.Contains(Path.GetFileName(file))) continue;
            int number = 0;
            foreach (string line in File.ReadLines(file))
            {
                number++;
                // A raw string is data.
                if (line.Length > LongestLine && !line.TrimStart().StartsWith("\"\"\"", StringComparison.Ordinal))
                    found.Add($"{Path.GetFileName(file)}:{number} has {line.Length} columns");
            }
        }
        Assert.Empty(found);
    }

    [Fact]
    public void Comments_texts_and_pages_use_plain_words()
    {
        IEnumerable<string> sources = Sources("src", "tests", "samples", "bench")
            .Where(static file => Path.GetFileName(file) != $"{nameof(SourceStyleTests)}.cs");
        IEnumerable<string> pages = Directory.EnumerateFiles(SourceTree.PathOf("."), "*.md").Concat(
            Directory.EnumerateFiles(SourceTree.PathOf("docs"), "*.md", SearchOption.AllDirectories));
        var found = new List<string>();
        foreach (string file in sources.Concat(pages))
        {
            int number = 0;
            foreach (string line in File.ReadLines(file))
            {
                number++;
                Match match = Avoided().Match(line);
                if (match.Success) found.Add($"{Path.GetFileName(file)}:{number} says '{match.Value}'");
            }
        }
        Assert.Empty(found);
    }

    [GeneratedRegex(
        @"\b(whom|whoever|lest|anew|whence|thereof|thereby|without a word|for people|comes home|goes home)\b",
        RegexOptions.IgnoreCase)]
    private static partial Regex Avoided();

    private static IEnumerable<string> Sources(params string[] folders) =>
        folders.SelectMany(static folder =>
                Directory.EnumerateFiles(SourceTree.PathOf(folder), "*.cs", SearchOption.AllDirectories))
            .Where(static file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}"));
}
