using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Stack;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Monitoring;

/// <summary>Describes the largest regions of a node, with what it has sent there since the call before. Core thread
/// only.</summary>
internal sealed class RegionPicker
{
    private Dictionary<ulong, ulong> _before = [];
    private Instant _last;

    /// <summary>Describes the regions with the most members, those first. O(regions).</summary>
    /// <param name="stack">The node's protocol.</param>
    /// <param name="selfKey">The key of the node's number.</param>
    /// <param name="now">The instant of the turn.</param>
    public List<RegionReport> Pick(NodeStack stack, ulong selfKey, Instant now)
    {
        List<ProtocolRegionView> views = [.. stack.Rooms.Cluster.Views];
        views.Sort(static (left, right) =>
        {
            int order = right.Members.Length.CompareTo(left.Members.Length);
            return order != 0 ? order : left.Region.Id.Counter.CompareTo(right.Region.Id.Counter);
        });
        double seconds = (now - _last).TotalSeconds;
        var sent = new Dictionary<ulong, ulong>();
        var reports = new List<RegionReport>();
        foreach (ProtocolRegionView view in views.Take(SnapshotLimits.Regions))
        {
            RegionReport report = Describe(view, stack.Rooms, selfKey, seconds, sent);
            reports.Add(reports.Count < SnapshotLimits.RegionsWithMembers
                ? report with { Members = MembersOf(view) } : report);
        }
        _before = sent;
        _last = now;
        return reports;
    }

    private static List<Member> MembersOf(ProtocolRegionView view)
    {
        var members = new List<Member>();
        foreach (NodeInfo member in view.Members.Take(SnapshotLimits.MembersOfRegion)) members.Add(Member.Of(member));
        return members;
    }

    private RegionReport Describe(
        ProtocolRegionView view, StackParts rooms, ulong selfKey, double seconds, Dictionary<ulong, ulong> sent)
    {
        (uint tag, uint counter) = (view.Number.Tag, view.Number.Counter);
        RegionRecovery? recovery = rooms.Recoverer.Find(tag, counter);
        StreamSender? stream = rooms.Disseminator.FindStream(tag, counter);
        var report = new RegionReport
        {
            Number = view.Region.Id.Counter,
            View = counter,
            IsMember = view.IndexOf(selfKey) >= 0,
            MemberCount = view.Members.Length,
            GroupCount = view.Region.Groups.Counters.Length,
            TokenRoundTrip = recovery is { Ring.RoundTrip.Ticks: > 0 } ? recovery.Ring.RoundTrip : null,
        };
        if (stream is null) return report;
        ulong key = ((ulong)tag << 32) | counter;
        ulong highest = stream.Highest;
        sent[key] = highest;
        ulong before = _before.GetValueOrDefault(key);
        bool isKnown = before > 0 && before <= highest && seconds > 0;
        return report with
        {
            Rate = isKnown ? (highest - before) / seconds : 0,
            RateLimit = double.IsFinite(stream.PacketsPerSecond) ? stream.PacketsPerSecond : null,
            Unstable = (long)(highest - Math.Min(stream.Stable, highest)),
        };
    }
}
