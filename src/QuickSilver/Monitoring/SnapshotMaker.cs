using System.Reflection;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Runtime;

namespace QuickSilver.Monitoring;

/// <summary>Makes the snapshots of a node, one after the other. Core thread only.</summary>
/// <param name="core">The node.</param>
/// <param name="timeline">The last changes of its views.</param>
internal sealed class SnapshotMaker(NodeCore core, ViewTimeline timeline)
{
    private static readonly string PackageVersion = FindVersion();

    private readonly GroupPicker _groups = new();
    private readonly RegionPicker _regions = new();
    private long _number;

    /// <summary>Makes a snapshot; null while the node is in no cluster. O(groups + regions).</summary>
    public NodeSnapshot? Make(Instant now)
    {
        if (core.Self is not { } self) return null;
        core.Statistics!.Cut(now);
        NodeStatistics statistics = core.Statistics.Read();
        (List<GroupStatistics> busiest, List<InboxReport> fullest) = _groups.Pick(core.Directory.Groups);
        return new NodeSnapshot
        {
            Member = Member.Of(self),
            Number = ++_number,
            Version = PackageVersion,
            Statistics = statistics,
            Slowest = FindSlowest(now),
            Groups = busiest,
            Regions = _regions.Pick(core.Stack, self.Number.Key, now),
            Views = timeline.ToList(),
            Inboxes = fullest,
            LoopUse = statistics.LoopUtilization,
            TokenRoundTrip = statistics.TokenRounds > 0 ? statistics.TokenRoundTrip : null,
        };
    }

    private List<MemberLag> FindSlowest(Instant now)
    {
        IReadOnlyList<LaggingMember> behind = core.Stack.FindLagging(now);
        if (behind.Count == 0) return [];
        List<MemberLag> slowest = core.Lags.ToPublic([.. behind.Take(SnapshotLimits.Lags)], now);
        return slowest.ConvertAll(static lag => lag with
        {
            Groups = [.. lag.Groups.Take(SnapshotLimits.PlacesOfLag)],
            Regions = [.. lag.Regions.Take(SnapshotLimits.PlacesOfLag)],
        });
    }

    private static string FindVersion()
    {
        Assembly assembly = typeof(SnapshotMaker).Assembly;
        string text = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "";
        return text.Length > SnapshotLimits.VersionChars ? text[..SnapshotLimits.VersionChars] : text;
    }
}
