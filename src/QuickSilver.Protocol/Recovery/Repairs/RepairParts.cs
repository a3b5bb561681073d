using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Joins packets that come in parts, because datagrams of their length do not reach this node. A joined packet is a repair like others.
/// <para>
/// Memory is bounded: only packets that are known to be missing are joined, at most <see cref="MostJoins"/> at once and
/// <see cref="MostBytes"/> in all; the oldest gives way, and what rests for <see cref="Rest"/> is forgotten. Who lacks a packet asks again.
/// </para>
/// Cost: a part costs a look at the joins under way, which are few. Allocates nothing once as many joins were under way as ever are.
/// </summary>
internal sealed class RepairParts
{
    /// <summary>The most packets that are joined at once.</summary>
    public const int MostJoins = 64;

    /// <summary>The most bytes of them.</summary>
    public const int MostBytes = 1 << 20;

    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(2);

    private readonly Recoverer _node;
    private readonly List<PartJoin> _joins = [];
    private readonly Stack<PartJoin> _spare = new();
    private readonly Alarm _expiry;

    public RepairParts(Recoverer node)
    {
        _node = node;
        _expiry = new Alarm(node.Alarms, Expire);
    }

    /// <summary>Bytes of the packets under way.</summary>
    public int Bytes { get; private set; }

    /// <summary>Takes a part of a packet that is missing.</summary>
    /// <param name="view">The view.</param>
    /// <param name="header">The part's header.</param>
    /// <param name="part">The part.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>The whole packet with its reference when this was the last part; else nothing.</returns>
    public Slice Add(RegionView view, in DatagramHeader header, in RepairPartBody part, Instant now)
    {
        PartJoin join = Find(view, header, part.Total) ?? Begin(view, header, part.Total);
        if (!join.TryAdd(part, now)) return default;
        if (!join.IsWhole)
        {
            _expiry.SetIfEarlier(now + Rest);
            return default;
        }
        _node.Counters.PacketsJoined++;
        _node.Probes.Hit(Mark.PacketJoined);
        return Take(join);
    }

    /// <summary>A view is gone: what was to be joined for it is let go.</summary>
    public void Forget(RegionView view)
    {
        for (int index = _joins.Count - 1; index >= 0; index--)
        {
            if (_joins[index].View == view) Take(_joins[index]).Release();
        }
        if (_joins.Count == 0) _expiry.Cancel();
    }

    /// <summary>Lets everything go.</summary>
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
            // One of the two lies; the packet begins with the new one.
            Take(join).Release();
            return null;
        }
        return null;
    }

    private PartJoin Begin(RegionView view, in DatagramHeader header, int total)
    {
        while (_joins.Count > 0 && (_joins.Count == MostJoins || Bytes + total > MostBytes))
        {
            _node.Probes.Hit(Mark.JoinGaveWay);
            Take(_joins[0]).Release();
        }
        PartJoin join = _spare.TryPop(out PartJoin? spare) ? spare : new PartJoin();
        join.Begin(view, header.Sender, header.Sequence, _node.TakeCache(total));
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
