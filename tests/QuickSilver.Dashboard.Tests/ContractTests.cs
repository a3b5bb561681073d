using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Logging;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Dashboard.Tests;

/// <summary>What others rely on is written down: log ids, options, and how much is public.</summary>
public sealed class ContractTests
{
    [Fact]
    public void Two_types_are_public() => Assert.Equal(2, typeof(DashboardOptions).Assembly.GetExportedTypes().Length);

    [Fact]
    public void Every_log_record_is_listed()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/monitoring.md"));
        int[] ids = [.. typeof(Log).GetMethods(BindingFlags.Static | BindingFlags.Public)
            .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>()?.EventId ?? 0)
            .Where(static id => id != 0)];
        Assert.NotEmpty(ids);
        Assert.Distinct(ids);
        Assert.All(
            ids,
            id => Assert.Contains(
                string.Create(CultureInfo.InvariantCulture, $"| {id} |"), page, StringComparison.Ordinal));
    }

    [Fact]
    public void Every_option_is_on_the_page()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/dashboard.md"));
        Assert.All(
            typeof(DashboardOptions).GetProperties(),
            option => Assert.Contains($"`{option.Name}`", page, StringComparison.Ordinal));
    }

    [Fact]
    public void Code_of_others_is_named_with_its_licence()
    {
        string notices = File.ReadAllText(SourceTree.PathOf("THIRD-PARTY-NOTICES.txt"));
        string licence = File.ReadAllText(SourceTree.PathOf("src/QuickSilver.Dashboard/Assets/uplot/LICENSE"));
        Assert.Contains(licence.Trim(), notices, StringComparison.Ordinal);
    }
}
