using System.Text.RegularExpressions;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Tests.Docs;

/// <summary>Pages for users say how things are. Pages of history and decisions say how they became so.</summary>
public sealed partial class PageTests
{
    private const int MostLinesOfReadme = 150;

    // The caption of its table names the one commit that was measured.
    private const string MeasuredPage = "docs/performance.md";

    [Theory]
    [InlineData("README.md")]
    [InlineData("CHANGELOG.md")]
    [InlineData("CONTRIBUTING.md")]
    [InlineData("SECURITY.md")]
    [InlineData("docs/README.md")]
    [InlineData("docs/alternatives.md")]
    [InlineData("docs/analyzers.md")]
    [InlineData("docs/architecture.md")]
    [InlineData("docs/concepts.md")]
    [InlineData("docs/deploying.md")]
    [InlineData("docs/errors.md")]
    [InlineData("docs/failures.md")]
    [InlineData("docs/getting-started.md")]
    [InlineData("docs/glossary.md")]
    [InlineData("docs/monitoring.md")]
    [InlineData("docs/operations.md")]
    [InlineData("docs/paper-map.md")]
    [InlineData(MeasuredPage)]
    [InlineData("docs/protocol.md")]
    [InlineData("docs/services.md")]
    [InlineData("docs/symptoms.md")]
    [InlineData("docs/testing-your-code.md")]
    [InlineData("docs/timers.md")]
    [InlineData("docs/tutorial.md")]
    [InlineData("docs/two-machines.md")]
    public void A_page_for_users_names_no_commit(string page)
    {
        string[] named = [
            .. Hash().Matches(File.ReadAllText(SourceTree.PathOf(page))).Select(static hash => hash.Value)];
        Assert.True(named.Length <= (page == MeasuredPage ? 1 : 0), $"{page} names {string.Join(", ", named)}");
    }

    [Fact]
    public void A_commit_is_recognized()
    {
        Assert.Matches(Hash(), "measured at 3bbb749, on one machine");
        Assert.DoesNotMatch(Hash(), "seed 6300398, 127.0.0.1:14999, 0x4000000, defaced, acceded");
    }

    [Fact]
    public void The_readme_is_short() =>
        Assert.InRange(File.ReadAllLines(SourceTree.PathOf("README.md")).Length, 1, MostLinesOfReadme);

    [Fact]
    public void Every_decision_is_listed_under_its_title()
    {
        string list = File.ReadAllText(SourceTree.PathOf("docs/decisions/README.md"));
        string[] pages = [
            .. Directory.GetFiles(SourceTree.PathOf("docs/decisions"), "0*.md").Order(StringComparer.Ordinal)];
        Assert.NotEmpty(pages);
        Assert.Distinct(pages.Select(static page => Path.GetFileName(page)[..4]));
        foreach (string page in pages)
        {
            string name = Path.GetFileName(page), number = name[..4];
            string heading = File.ReadLines(page).First();
            Assert.StartsWith($"# {number} ", heading, StringComparison.Ordinal);
            Assert.Contains($"| [{number}]({name}) | {heading[7..]} |", list, StringComparison.Ordinal);
        }
    }

    // Words have no digit, and seeds and sizes no letter.
    [GeneratedRegex(@"(?<![0-9a-zA-Z])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![0-9a-zA-Z])")]
    private static partial Regex Hash();
}
