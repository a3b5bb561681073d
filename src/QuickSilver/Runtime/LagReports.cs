using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;

namespace QuickSilver.Runtime;

/// <summary>
/// Logs which members hold regions up: one record when some begin, a second after they fell behind, and one when they
/// have caught up. Each member is reported at most once in thirty seconds. A member that holds up less than a quarter
/// of what the worst one does is not reported: where processors are busy many are behind, and one of them is the cause.
/// Where many begin at once the worst are named, and the others counted. Core thread only, except
/// <see cref="Latest"/>.
/// </summary>
/// <param name="node">The node whose regions are observed.</param>
internal sealed class LagReports(NodeCore node)
{
    private const int MostNamed = 3;

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(30);

    private readonly Dictionary<MemberId, (string Name, Instant At)> _reported = [];
    private readonly HashSet<MemberId> _open = [];
    private IReadOnlyList<MemberLag> _latest = [];

    /// <summary>The members that were behind at the last change, the slowest first. A change is a member that begins or
    /// ceases to hold a region up. Any thread.</summary>
    public IReadOnlyList<MemberLag> Latest => Volatile.Read(ref _latest);

    /// <summary>Logs that members have begun, or ceased, to hold a region up.</summary>
    public void OnChanged(IReadOnlyList<LaggingMember> behind, Instant now)
    {
        List<MemberLag> all = ToPublic(behind, now);
        Volatile.Write(ref _latest, all);
        var begun = new List<string>();
        var holding = new HashSet<MemberId>();
        MemberId self = node.Self is { } known ? new MemberId(known) : default;
        long worst = all.Where(static lag => lag.HoldsUp).Max(static lag => (long?)lag.Packets) ?? 0;
        foreach (MemberLag lag in all)
        {
            if (!lag.HoldsUp) continue;
            MemberId id = lag.Member.Id;
            holding.Add(id);
            if (lag.Packets < worst / 4 && lag.Reason != LagReason.Silent) continue;
            if (_open.Contains(id)
                || (_reported.TryGetValue(id, out (string Name, Instant At) last) && now - last.At < Pause))
                continue;
            _open.Add(id);
            _reported[id] = (lag.Member.Name, now);
            begun.Add(LagText.Record(lag, self));
        }
        List<string> over =
            [.. _open.Where(id => !holding.Contains(id)).Select(id => $"{QuotedName.Of(_reported[id].Name)} ({id})")];
        _open.IntersectWith(holding);
        foreach ((MemberId id, (string Name, Instant At) last) in _reported)
        {
            if (!_open.Contains(id) && now - last.At >= Pause) _reported.Remove(id);
        }
        NodeServices services = node.Services;
        if (begun.Count > 0)
        {
            string more = begun.Count > MostNamed ? $"; and {begun.Count - MostNamed} more" : "";
            services.Log.Post(
                (services.Name, Members: string.Join("; ", begun.Take(MostNamed)) + more),
                static (logger, s) => Log.RegionsHeldUp(logger, s.Name, s.Members));
        }
        if (over.Count > 0)
        {
            services.Log.Post(
                (services.Name, Members: string.Join(", ", over)),
                static (logger, s) => Log.CaughtUp(logger, s.Name, s.Members));
        }
    }

    /// <summary>Converts members that are behind to their public form.</summary>
    public List<MemberLag> ToPublic(IReadOnlyList<LaggingMember> behind, Instant now)
    {
        var all = new List<MemberLag>(behind.Count);
        foreach (LaggingMember lag in behind) all.Add(LagText.ToPublic(lag, node.Directory.Groups, now));
        return all;
    }
}
