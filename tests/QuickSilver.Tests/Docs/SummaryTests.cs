using System.Xml.Linq;

namespace QuickSilver.Tests.Docs;

/// <summary>What the compiler takes for documentation is some: text outside of a tag is shown nowhere.</summary>
public sealed class SummaryTests
{
    private static readonly string[] Says = ["summary", "returns", "param", "inheritdoc"];

    [Theory]
    [InlineData("QuickSilver")]
    [InlineData("QuickSilver.Protocol")]
    public void Every_documented_member_says_what_it_is(string assembly)
    {
        XElement[] members = [
            .. XDocument.Load(Path.Combine(AppContext.BaseDirectory, $"{assembly}.xml")).Descendants("member")];
        Assert.True(members.Length > 500, $"only {members.Length} members were found");
        Assert.Empty(members
            .Where(static member => !member.Elements().Any(part => Says.Contains(part.Name.LocalName)))
            .Select(static member => member.Attribute("name")!.Value));
    }
}
