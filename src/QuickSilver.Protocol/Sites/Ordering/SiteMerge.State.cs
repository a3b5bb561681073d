using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>The state of the order, as a member that joins gets it: all but the messages.</summary>
internal sealed partial class SiteMerge
{
    /// <summary>Writes the state, for a member that joins here. It delivers what comes after all that waits.</summary>
    public void Write(ref WireWriter writer)
    {
        OrderPlace floor = _pending.Highest > _pending.Floor ? _pending.Highest : _pending.Floor;
        writer.WriteByte((byte)Site);
        writer.WriteByte((byte)Count);
        writer.WriteByte((byte)_policy);
        writer.WriteVarint(Incarnation);
        writer.WriteVarint(Clock);
        writer.WriteByte(_own.HasBegun ? (byte)1 : (byte)0);
        writer.WriteVarint(_own.Numbered);
        writer.WriteVarint(_own.Kept.Released);
        writer.WriteVarint((ulong)_own.Waiting);
        writer.WriteVarint(floor.Stamp);
        writer.WriteByte((byte)floor.Site);
        writer.WriteVarint((ulong)_own.Stamps.Count);
        ulong before = 0;
        foreach (ulong stamp in _own.Stamps)
        {
            writer.WriteVarint(stamp - before);
            before = stamp;
        }
        foreach (PeerStream peer in _peers)
        {
            writer.WriteVarint(peer.Have);
            writer.WriteVarint(peer.Passed);
            writer.WriteVarint(peer.Kept.Released);
            for (int site = 0; site < Count; site++) writer.WriteVarint(peer.Told(site));
        }
        _agreement.Write(ref writer);
    }

    /// <summary>Bytes of the state, at most.</summary>
    public int StateLength =>
        100 + (10 * _own.Stamps.Count) + (Count * (30 + (10 * Count))) + _agreement.StateLength;

    /// <summary>Reads a state that <see cref="Write"/> wrote; null when it is malformed.</summary>
    public static SiteMerge? Read(ref WireReader reader, bool deliversSafe = false)
    {
        int site = reader.ReadByte(), count = reader.ReadByte(), policy = reader.ReadByte();
        ulong incarnation = reader.ReadVarint(), clock = reader.ReadVarint(OrderRecord.MostStamp);
        byte begun = reader.ReadByte();
        ulong numbered = reader.ReadVarint(), released = reader.ReadVarint(numbered);
        int waiting = (int)reader.ReadVarint(int.MaxValue);
        var floor = new OrderPlace(reader.ReadVarint(OrderRecord.MostStamp), reader.ReadByte());
        int stamped = (int)reader.ReadVarint((ulong)reader.Remaining);
        bool isSound = site < count && count <= SiteSet.MostSites && policy <= (int)CutPolicy.GoOn && incarnation > 0
            && begun <= 1 && (ulong)stamped <= numbered && count * (3 + count) <= reader.Remaining;
        if (reader.Failed || !isSound) return null;
        var merge = new SiteMerge(site, count, incarnation, (CutPolicy)policy)
        {
            DeliversSafe = deliversSafe,
            Clock = clock,
        };
        var stamps = new ulong[stamped];
        for (int index = 0; index < stamped; index++)
            stamps[index] = reader.ReadVarint(OrderRecord.MostStamp) + (index > 0 ? stamps[index - 1] : 0);
        merge._own.Restore(numbered, released, stamps, waiting);
        merge._own.HasBegun = begun == 1;
        merge._pending.RaiseFloor(floor);
        var told = new ulong[count];
        foreach (PeerStream peer in merge._peers)
        {
            peer.Have = reader.ReadVarint();
            peer.Passed = reader.ReadVarint(OrderRecord.MostStamp);
            peer.Kept.Release(reader.ReadVarint(peer.Have));
            for (int other = 0; other < count; other++) told[other] = reader.ReadVarint();
            peer.OnTold(told);
        }
        return merge._agreement.Restore(ref reader) && !reader.Failed ? merge : null;
    }
}
