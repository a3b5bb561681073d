using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Tests.Repository.Samples;

namespace QuickSilver.Protocol.Tests.Repository;

public sealed class RoomOrderTests
{
    private const string SampleRoot = "QuickSilver.Protocol.Tests.Repository.Samples";

    private static readonly RoomRules Rooms =
        new(
            "QuickSilver.Protocol", "Wire", "Core", "Probing", "Security", "Flow",
            "Membership", "Membership.Frames", "Membership.Discovery", "Membership.Voting", "Membership.Agent",
            "Membership.Server", "Delivery", "Dissemination", "Dissemination.Messages", "Dissemination.Groups",
            "Dissemination.Packing", "Dissemination.Streams",
            "Dissemination.Hybrids", "Dissemination.Sending", "Recovery", "Recovery.Reception", "Recovery.Paths",
            "Recovery.Repairs", "Recovery.Arrivals", "Recovery.Orphans", "Recovery.Ring", "Recovery.Regions",
            "Modes", "Lateral", "Timed", "Timed.Sending", "Timed.Receiving", "Timed.Groups", "Ordering", "Stack",
            "Sites", "Sites.Frames", "Sites.Links", "Sites.Overlay", "Sites.Gateways", "Sites.Ordering");

    private static readonly IReadOnlyList<TypeUse> Uses = AssemblyUses.Of(typeof(Instant).Assembly);
    private static readonly IReadOnlyList<TypeUse> SampleUses =
        [.. AssemblyUses.Of(typeof(RoomOrderTests).Assembly)
            .Where(use => use.User.StartsWith(SampleRoot, StringComparison.Ordinal))];

    [Fact]
    public void EachRoomUsesOnlyRoomsBeforeIt() => AssertNone(Rooms.Forbids);

    [Fact]
    public void ProtocolHasNoClockSocketThreadOrRandomnessOfItsOwn() => AssertNone(PurityRules.Forbids);

    [Fact]
    public void ProtocolNeverGoesThroughAHashTableInItsOwnOrder() => AssertNone(PurityRules.EnumeratesAHashTable);

    [Fact]
    public void ProtocolReferencesNothingButTheFramework() =>
        Assert.All(typeof(Instant).Assembly.GetReferencedAssemblies(), name => Assert.StartsWith("System.", name.Name));

    [Fact]
    public void TheAnalysisSeesUsesThatAreThere()
    {
        Assert.Contains(
            new TypeUse("QuickSilver.Protocol.Core.Alarm", "QuickSilver.Protocol.Core.AlarmQueue", "Set"), Uses);
        Assert.Contains(
            new TypeUse(
                "QuickSilver.Protocol.Flow.Transports.Train", "QuickSilver.Protocol.Flow.Transports.TrainRoute", ""),
                Uses);
        Assert.Contains(
            new TypeUse(
                "QuickSilver.Protocol.Flow.Pull.PriorityMultiplexer", "System.Collections.Generic.HashSet`1", "Add"),
                Uses);
        Assert.True(Uses.Count > 1000, $"only {Uses.Count} uses found");
    }

    [Theory]
    [InlineData(nameof(UsesThreadInABody))]
    [InlineData(nameof(UsesTaskAsAnArgument))]
    [InlineData(nameof(UsesDateTimeInAClosure))]
    [InlineData(nameof(UsesALock))]
    [InlineData(nameof(UsesNewGuid))]
    [InlineData(nameof(UsesStringHash))]
    [InlineData(nameof(UsesTickCount))]
    [InlineData(nameof(UsesSocketInASignature))]
    [InlineData(nameof(UsesAsync))]
    [InlineData(nameof(UsesRandomAfterASwitch))]
    public void AnImpureTypeIsFound(string sample) =>
        Assert.Contains(SampleUses, use => use.User == $"{SampleRoot}.{sample}" && PurityRules.Forbids(use));

    [Theory]
    [InlineData(nameof(EnumeratesADictionary))]
    [InlineData(nameof(EnumeratesValues))]
    public void AnEnumeratedHashTableIsFound(string sample) =>
        Assert.Contains(
            SampleUses, use => use.User == $"{SampleRoot}.{sample}" && PurityRules.EnumeratesAHashTable(use));

    [Fact]
    public void APureTypeIsNotAccused() =>
        Assert.DoesNotContain(
            SampleUses.Where(use => use.User == $"{SampleRoot}.{nameof(IsPure)}"),
            use => PurityRules.Forbids(use) || PurityRules.EnumeratesAHashTable(use));

    [Theory]
    [InlineData(nameof(Samples.Early.CallsLater))]
    [InlineData(nameof(Samples.Early.HoldsLater))]
    [InlineData(nameof(Samples.Early.ConstrainedByLater<>))]
    [InlineData(nameof(Samples.Early.CatchesLater))]
    public void AUseOfALaterRoomIsFound(string sample)
    {
        var rules = new RoomRules(SampleRoot, "Early", "Late");
        Assert.Contains(
            SampleUses,
            use => use.User.StartsWith($"{SampleRoot}.Early.{sample}", StringComparison.Ordinal) && rules.Forbids(use));
    }

    [Fact]
    public void AUseOfAnEarlierRoomIsAllowed()
    {
        var rules = new RoomRules(SampleRoot, "Early", "Late");
        Assert.DoesNotContain(
            SampleUses,
            use => use.User.StartsWith($"{SampleRoot}.Late.", StringComparison.Ordinal) && rules.Forbids(use));
    }

    private static void AssertNone(Func<TypeUse, bool> rule)
    {
        string found = string.Join('\n', Uses.Where(rule));
        Assert.True(found.Length == 0, found);
    }
}
