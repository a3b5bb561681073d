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
        writer.WriteVarint(Incarnation);
        writer.WriteVarint(Clock);
        writer.WriteByte(_own.HasBegun ? (byte)1 : (byte)0);
        writer.WriteVarint(_own.Numbered);
        writer.WriteVarint(_own.Kept.Released);
        writer.WriteVarint((ulong)_own.Waiting);
        writer.WriteVarint(floor.Stamp);
        writer.WriteByte((byte)floor.Site);
        foreach (PeerStream peer in _peers)
        {
            peer.Report.Write(ref writer);
            writer.WriteVarint(peer.Base);
            writer.WriteVarint(peer.Passed);
            writer.WriteVarint(peer.ToldIn);
            for (int site = 0; site < Count; site++) peer.Told(site).Write(ref writer);
        }
    }

    /// <summary>Bytes of the state, at most.</summary>
    public int StateLength => 80 + (Count * (StreamReport.MaxLength + 30 + (Count * StreamReport.MaxLength)));

    /// <summary>Reads a state that <see cref="Write"/> wrote; null when it is malformed.</summary>
    public static SiteMerge? Read(ref WireReader reader, bool deliversSafe = false)
    {
        int site = reader.ReadByte(), count = reader.ReadByte();
        ulong incarnation = reader.ReadVarint(), clock = reader.ReadVarint(OrderRecord.MostStamp);
        byte begun = reader.ReadByte();
        ulong numbered = reader.ReadVarint(), released = reader.ReadVarint(numbered);
        int waiting = (int)reader.ReadVarint(int.MaxValue);
        var floor = new OrderPlace(reader.ReadVarint(OrderRecord.MostStamp), reader.ReadByte());
        if (reader.Failed || site >= count || count > SiteSet.MostSites || incarnation == 0 || begun > 1) return null;
        var merge = new SiteMerge(site, count, incarnation) { DeliversSafe = deliversSafe, Clock = clock };
        merge._own.Numbered = numbered;
        merge._own.Kept.Release(released);
        merge._own.HasBegun = begun == 1;
        merge._own.Unseen = waiting;
        merge._pending.RaiseFloor(floor);
        foreach (PeerStream peer in merge._peers)
        {
            StreamReport report = StreamReport.Read(ref reader);
            (peer.Incarnation, peer.Have, peer.Next, peer.Before, peer.HadBefore) =
                (report.Incarnation, report.Have, report.Next, report.Before, report.HadBefore);
            peer.Kept.Release(report.Have);
            peer.Base = reader.ReadVarint();
            peer.Passed = reader.ReadVarint(OrderRecord.MostStamp);
            peer.ToldIn = reader.ReadVarint();
            for (int other = 0; other < count && !reader.Failed; other++)
                peer.Told(other) = StreamReport.Read(ref reader);
        }
        return reader.Failed ? null : merge;
    }
}
