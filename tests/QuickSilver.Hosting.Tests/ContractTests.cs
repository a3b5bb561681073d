using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Logging;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Hosting.Tests;

/// <summary>What others rely on is written down: log ids and instruments, and how much is public.</summary>
public sealed class ContractTests
{
    /// <summary>What a user has to find a way through. Raise it only for a type that users cannot do without.</summary>
    private const int MostPublicTypes = 184;

    [Fact]
    public void Few_types_are_public()
    {
        string[] libraries =
        [
            "QuickSilver", "QuickSilver.Hosting", "QuickSilver.Membership.Etcd",
            "QuickSilver.Membership.Kubernetes", "QuickSilver.OpenTelemetry", "QuickSilver.Testing",
            "QuickSilver.Typed", "QuickSilver.WideArea",
        ];
        Type[][] types = [.. libraries.Select(static name => Assembly.Load(name).GetExportedTypes())];
        Assert.All(types, Assert.NotEmpty);
        Assert.InRange(types.Sum(static exported => exported.Length), 1, MostPublicTypes);
    }

    /// <summary>The compiler refuses a public member with a type that is not public.</summary>
    [Fact]
    public void No_public_member_shows_a_type_of_the_protocol() =>
        Assert.Empty(Assembly.Load("QuickSilver.Protocol").GetExportedTypes());

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
}
