using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Runtime;

/// <summary>
/// Logs which members hold regions up: one record when some begin, a second after they fell behind, and one when they have caught up. A member is told
/// of at most once in thirty seconds, however often it falls behind. Core thread only, but for <see cref="Latest"/>.
/// </summary>
/// <param name="node">The node.</param>
internal sealed class LagReports(NodeCore node)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(30);

    private readonly Dictionary<MemberId, (string Name, Instant At)> _told = [];
    private readonly HashSet<MemberId> _open = [];
    private IReadOnlyList<MemberLag> _latest = [];

    /// <summary>Members that were behind when some last began or ceased to hold a region up, the slowest first. Any thread.</summary>
    public IReadOnlyList<MemberLag> Latest => Volatile.Read(ref _latest);

    /// <summary>Some member has begun, or ceased, to hold a region up.</summary>
    public void OnChanged(IReadOnlyList<LaggingMember> behind, Instant now)
    {
        List<MemberLag> all = ToPublic(behind, now);
        Volatile.Write(ref _latest, all);
        var begun = new List<string>();
        var holding = new HashSet<MemberId>();
        MemberId self = node.Self is { } known ? new MemberId(known) : default;
        foreach (MemberLag lag in all)
        {
            if (!lag.HoldsUp) continue;
            MemberId id = lag.Member.Id;
            holding.Add(id);
            if (_open.Contains(id) || (_told.TryGetValue(id, out (string Name, Instant At) last) && now - last.At < Pause)) continue;
            _open.Add(id);
            _told[id] = (lag.Member.Name, now);
            begun.Add(LagText.Record(lag, self));
        }
        List<string> over = [.. _open.Where(id => !holding.Contains(id)).Select(id => $"{QuotedName.Of(_told[id].Name)} ({id})")];
        _open.IntersectWith(holding);
        foreach ((MemberId id, (string Name, Instant At) last) in _told)
        {
            if (!_open.Contains(id) && now - last.At >= Pause) _told.Remove(id);
        }
        NodeServices services = node.Services;
        if (begun.Count > 0)
        {
            services.Log.Post(
                (services.Name, Members: string.Join("; ", begun)), static (logger, s) => Log.RegionsHeldUp(logger, s.Name, s.Members));
        }
        if (over.Count > 0)
            services.Log.Post((services.Name, Members: string.Join(", ", over)), static (logger, s) => Log.CaughtUp(logger, s.Name, s.Members));
    }

    /// <summary>The public form of members that are behind.</summary>
    public List<MemberLag> ToPublic(IReadOnlyList<LaggingMember> behind, Instant now)
    {
        var all = new List<MemberLag>(behind.Count);
        foreach (LaggingMember lag in behind) all.Add(LagText.ToPublic(lag, node.Directory.Groups, now));
        return all;
    }
}
