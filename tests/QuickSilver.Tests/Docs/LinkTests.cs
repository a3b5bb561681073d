using System.Text.RegularExpressions;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Tests.Docs;

/// <summary>Each link of a page leads to a file, and to a heading, that exists.</summary>
public sealed partial class LinkTests
{
    [Fact]
    public void Every_link_of_a_page_leads_somewhere()
    {
        var broken = new List<string>();
        int links = 0;
        foreach (string page in Pages())
        {
            foreach (Match link in Link().Matches(File.ReadAllText(page)))
            {
                string target = link.Groups[1].Value;
                if (target.Contains("://", StringComparison.Ordinal)) continue;
                links++;
                if (!Leads(page, target)) broken.Add($"{Path.GetFileName(page)}: {target}");
            }
        }
        Assert.True(links > 50, $"only {links} links were found");
        Assert.Empty(broken);
    }

    [Fact]
    public void Every_page_for_readers_is_on_the_map()
    {
        string map = File.ReadAllText(SourceTree.PathOf("docs/README.md"));
        string[] pages = [
            .. Directory.GetFiles(SourceTree.PathOf("docs"), "*.md").Select(static page => Path.GetFileName(page)!)];
        Assert.NotEmpty(pages);
        Assert.All(
            pages.Where(static page => page != "README.md"),
            page => Assert.Contains($"({page})", map, StringComparison.Ordinal));
    }

    private static IEnumerable<string> Pages() =>
        Directory.GetFiles(SourceTree.PathOf("."), "*.md")
            .Concat(Directory.GetFiles(SourceTree.PathOf("docs"), "*.md", SearchOption.AllDirectories))
            .Concat(Directory.GetFiles(SourceTree.PathOf("bench"), "*.md", SearchOption.AllDirectories));

    private static bool Leads(string page, string target)
    {
        string[] parts = target.Split('#', 2);
        string file = parts[0].Length == 0 ? page : Path.Combine(Path.GetDirectoryName(page)!, parts[0]);
        if (parts.Length == 1) return File.Exists(file) || Directory.Exists(file);
        return File.Exists(file)
            && Heading().Matches(File.ReadAllText(file)).Any(heading => Anchor(heading.Groups[1].Value) == parts[1]);
    }

    private static string Anchor(string heading) =>
        string.Concat(heading.Trim().ToLowerInvariant().Select(static letter => letter == ' ' ? "-"
            : char.IsLetterOrDigit(letter) || letter is '-' or '_' ? letter.ToString() : ""));

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("^#+ (.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();
}
