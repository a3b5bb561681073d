using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// A node's observations of others, complete each time: an observation that is not repeated has passed.
/// <code>
/// kind      byte
/// silent    varint   members that do not answer
/// each:
///   node      varint   key
///   since     varint   0: a token lists it; else the node's own finding, and this less 1 is its milliseconds
/// draining  varint   views in which packets of the node are not known stable
/// each:
///   term      varint
///   server    u64
///   view      varint
///   heard     varint   number of times that feedback has come
///   elsewhere byte     1: another view has answered since the first unstable packet was sent; else 0
/// unheard   varint   milliseconds of requests without any datagram read; 0: it reads some, or sends no requests
/// answered  varint   milliseconds of requests without any answer; 0: some answer, or it sends no requests
/// blocked   varint   nodes whose control datagrams arrive while no data does
/// each:
///   node      varint   key
///   for       varint   milliseconds
/// slow      varint   members that are behind in views of the node, or that it sends to; the furthest behind first
/// each:
///   node      varint   key
///   packets   varint   that it lacks at most
///   held      varint   milliseconds for which it has held the node at its limit; 0: less than the node waits for
/// behind    varint   milliseconds for which the node itself has been behind; 0: it keeps up
/// handlers  byte     1: the node's handlers take most of its time; else 0
/// </code>
/// </summary>
internal static class ObservedFrame
{
    private const int ShortestSilent = 2;
    private const int ShortestDraining = 12;
    private const int ShortestSlow = 3;
    private const int MostOfEach = 1 << 16;

    /// <summary>Limit on each list that fits the longest frame of a node; the usual lists are far shorter.</summary>
    public const int MostTold = 1 << 14;

    /// <summary>Writes the frame.</summary>
    /// <param name="frame">The frame to overwrite.</param>
    /// <param name="observed">The observations to write.</param>
    /// <param name="limit">Limit on the members, and on the views, that are written.</param>
    public static void Write(FrameBuilder frame, NodeObservations observed, int limit = MostOfEach + 1)
    {
        int silents = Math.Min(observed.Silent.Count, limit);
        frame.Begin(FrameKind.Observed).WriteVarint((ulong)silents);
        foreach (SilentMember silent in observed.Silent.Take(silents))
        {
            long silentFor = silent.SilentFor.Ticks / TimeSpan.TicksPerMillisecond;
            frame.WriteVarint(silent.Node).WriteVarint(silent.IsOwnFinding ? (ulong)silentFor + 1 : 0);
        }
        int draining = Math.Min(observed.Draining.Count, limit);
        frame.WriteVarint((ulong)draining);
        foreach (DrainingView view in observed.Draining.Take(draining))
        {
            frame.WriteEpoch(view.View.Epoch).WriteVarint(view.View.Counter).WriteVarint(view.Heard);
            frame.WriteByte(view.IsAnsweredElsewhere ? (byte)1 : (byte)0);
        }
        frame.WriteVarint((ulong)(observed.UnheardFor.Ticks / TimeSpan.TicksPerMillisecond));
        frame.WriteVarint((ulong)(observed.UnansweredFor.Ticks / TimeSpan.TicksPerMillisecond));
        int blocked = Math.Min(observed.Blocked.Count, limit);
        frame.WriteVarint((ulong)blocked);
        foreach (BlockedPath path in observed.Blocked.Take(blocked))
            frame.WriteVarint(path.From).WriteVarint((ulong)(path.BlockedFor.Ticks / TimeSpan.TicksPerMillisecond));
        int slow = Math.Min(observed.Slow.Count, limit);
        frame.WriteVarint((ulong)slow);
        foreach (SlowMember member in observed.Slow.Take(slow))
        {
            frame.WriteVarint(member.Node).WriteVarint(member.Packets);
            frame.WriteVarint((ulong)(member.HeldFor.Ticks / TimeSpan.TicksPerMillisecond));
        }
        frame.WriteVarint((ulong)(observed.BehindFor.Ticks / TimeSpan.TicksPerMillisecond));
        frame.WriteByte(observed.IsHandling ? (byte)1 : (byte)0);
    }

    /// <summary>Reads a body into <paramref name="observed"/>; false when it is malformed.</summary>
    public static bool TryRead(ref WireReader reader, NodeObservations observed)
    {
        observed.Clear();
        int count = FrameFields.ReadCount(ref reader, ShortestSilent);
        if (count > MostOfEach) return false;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong key = FrameFields.ReadKey(ref reader);
            ulong since = reader.ReadVarint(uint.MaxValue);
            TimeSpan silentFor = since == 0 ? TimeSpan.Zero : TimeSpan.FromMilliseconds((long)since - 1);
            observed.Silent.Add(new SilentMember(key, silentFor, since != 0));
        }
        count = FrameFields.ReadCount(ref reader, ShortestDraining);
        if (count > MostOfEach) return false;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            var view = new ViewNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
            ulong heard = reader.ReadVarint();
            byte elsewhere = reader.ReadByte();
            if (elsewhere > 1) return false;
            observed.Draining.Add(new DrainingView(view, heard, elsewhere == 1));
        }
        observed.UnheardFor = TimeSpan.FromMilliseconds((long)reader.ReadVarint(uint.MaxValue));
        observed.UnansweredFor = TimeSpan.FromMilliseconds((long)reader.ReadVarint(uint.MaxValue));
        count = FrameFields.ReadCount(ref reader, ShortestSilent);
        if (count > MostOfEach) return false;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong key = FrameFields.ReadKey(ref reader);
            var blockedFor = TimeSpan.FromMilliseconds((long)reader.ReadVarint(uint.MaxValue));
            observed.Blocked.Add(new BlockedPath(key, blockedFor));
        }
        count = FrameFields.ReadCount(ref reader, ShortestSlow);
        if (count > MostOfEach) return false;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong key = FrameFields.ReadKey(ref reader);
            ulong packets = reader.ReadVarint();
            var heldFor = TimeSpan.FromMilliseconds((long)reader.ReadVarint(uint.MaxValue));
            observed.Slow.Add(new SlowMember(key, packets, heldFor));
        }
        observed.BehindFor = TimeSpan.FromMilliseconds((long)reader.ReadVarint(uint.MaxValue));
        byte handlers = reader.ReadByte();
        observed.IsHandling = handlers == 1;
        return handlers <= 1 && reader.IsAtEnd;
    }
}
