using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Hosting.Tests;

/// <summary>What others rely on is written down: the public surface, log ids and instruments.</summary>
public sealed class ContractTests
{
    [Theory]
    [InlineData("QuickSilver.Hosting")]
    [InlineData("QuickSilver.OpenTelemetry")]
    [InlineData("QuickSilver.Typed")]
    public void The_surface_is_as_reviewed(string name)
    {
        string actual = PublicSurface.Describe(Assembly.Load(name));
        string reviewed = Path.Combine(Path.GetDirectoryName(ThisFile())!, "Surfaces", $"{name}.txt");
        if (Environment.GetEnvironmentVariable("QUICKSILVER_UPDATE_SURFACE") == "1")
            File.WriteAllText(reviewed, actual);
        string expected = File.Exists(reviewed) ? File.ReadAllText(reviewed) : "";
        Assert.True(
            actual == expected,
            "The public surface has changed. Run this test with QUICKSILVER_UPDATE_SURFACE=1 and review the "
                + "difference.\n"
            + $"+ {string.Join("\n+ ", actual.Split('\n').Except(expected.Split('\n')))}\n"
            + $"- {string.Join("\n- ", expected.Split('\n').Except(actual.Split('\n')))}");
    }

    [Fact]
    public void Every_log_record_and_instrument_is_listed()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/monitoring.md"));
        int[] ids = [.. typeof(Log).GetMethods(BindingFlags.Static | BindingFlags.Public)
            .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>()?.EventId ?? 0)
            .Where(static id => id != 0)];
        Assert.Distinct(ids);
        string listed = string.Concat(
            page.Split('\n').Where(static line => line.StartsWith("| 16", StringComparison.Ordinal)));
        Assert.NotEmpty(ids);
        Assert.All(
            ids, id => Assert.Contains(id.ToString(CultureInfo.InvariantCulture), listed, StringComparison.Ordinal));

        // Hosts of other tests have them too.
        var instruments = new ConcurrentDictionary<string, bool>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == HostingMeter.Name)
                    instruments[instrument.Name] = true;
            },
        };
        listener.Start();
        using var meter = new HostingMeter(null, "of the page");
        Assert.Equal(4, instruments.Count);
        Assert.All(instruments.Keys, name => Assert.Contains($"`{name}`", page, StringComparison.Ordinal));
    }

    private static string ThisFile([CallerFilePath] string path = "") => path;
}
