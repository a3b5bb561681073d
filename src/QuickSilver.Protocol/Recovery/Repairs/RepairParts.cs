using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Joins packets that come in parts, because datagrams of their length do not reach this node. A joined packet is a
/// repair like others.
/// <para>
/// Memory is bounded: only packets known to be missing are joined, at most <see cref="MostJoins"/> at once and
/// <see cref="MostBytes"/> in all. The oldest join gives way. A join without a new part for <see cref="Rest"/> is
/// forgotten, and the packet is requested again.
/// </para>
/// Cost: a part costs a search of the joins under way, which are few. Allocates nothing once their number has reached
/// its peak.
/// </summary>
internal sealed class RepairParts
{
    /// <summary>Limit on packets that are joined at once.</summary>
    public const int MostJoins = 64;

    /// <summary>Limit on the bytes of these packets.</summary>
    public const int MostBytes = 1 << 20;

    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(2);

    private readonly RecoveryContext _node;
    private readonly List<PartJoin> _joins = [];
    private readonly Stack<PartJoin> _spare = new();
    private readonly Alarm _expiry;

    public RepairParts(RecoveryContext node)
    {
        _node = node;
        _expiry = new Alarm(node.Alarms, Expire);
    }

    /// <summary>Bytes of the packets under way.</summary>
    public int Bytes { get; private set; }

    /// <summary>Takes a part of a packet that is missing.</summary>
    /// <param name="view">The view of the packet's stream.</param>
    /// <param name="header">The part's header.</param>
    /// <param name="part">The part's body.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The whole packet with its reference when this was its last part; else empty.</returns>
    public Slice Add(RegionView view, in DatagramHeader header, in RepairPartBody part, Instant now)
    {
        PartJoin? join = Find(view, header, part.Total) ?? Begin(view, header, part.Total);
        if (join is null || !join.TryAdd(part, now)) return default;
        if (!join.IsWhole)
        {
            _expiry.SetIfEarlier(now + Rest);
            return default;
        }
        _node.Counters.PacketsJoined++;
        return Take(join);
    }

    /// <summary>Drops the joins of a view that is gone.</summary>
    public void Forget(RegionView view)
    {
        for (int index = _joins.Count - 1; index >= 0; index--)
        {
            if (_joins[index].View == view) Take(_joins[index]).Release();
        }
        if (_joins.Count == 0) _expiry.Cancel();
    }

    /// <summary>Drops all joins.</summary>
    public void Close()
    {
        while (_joins.Count > 0) Take(_joins[0]).Release();
        _expiry.Cancel();
    }

    private PartJoin? Find(RegionView view, in DatagramHeader header, int total)
    {
        foreach (PartJoin join in _joins)
        {
            if (join.Sequence != header.Sequence || join.Sender != header.Sender || join.View != view) continue;
            if (join.Whole.Length == total) return join;
            // The two lengths disagree, so one is wrong: the packet is started again from the new part.
            Take(join).Release();
            return null;
        }
        return null;
    }

    // Null when there is no memory for the packet.
    private PartJoin? Begin(RegionView view, in DatagramHeader header, int total)
    {
        while (_joins.Count > 0 && (_joins.Count == MostJoins || Bytes + total > MostBytes))
        {
            _node.Probes.Reached("a packet in parts gives way to another, since too many are in parts");
            Take(_joins[0]).Release();
        }
        if (!_node.TryTakeCache(total, out Slice whole)) return null;
        PartJoin join = _spare.TryPop(out PartJoin? spare) ? spare : new PartJoin();
        join.Begin(view, header.Sender, header.Sequence, whole);
        Bytes += total;
        _joins.Add(join);
        return join;
    }

    private Slice Take(PartJoin join)
    {
        _joins.Remove(join);
        Bytes -= join.Whole.Length;
        _spare.Push(join);
        return join.End();
    }

    private void Expire(Instant now)
    {
        Instant next = Instant.Never;
        for (int index = _joins.Count - 1; index >= 0; index--)
        {
            Instant due = _joins[index].Touched + Rest;
            if (due <= now) Take(_joins[index]).Release();
            else if (due < next) next = due;
        }
        if (next != Instant.Never) _expiry.SetIfEarlier(next);
    }
}
