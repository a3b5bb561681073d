using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// What a node observes of others, whole each time: what is no longer named has passed.
/// <code>
/// kind      byte
/// silent    varint   members that do not answer
/// each:
///   node      varint   key
///   since     varint   0: a token says so; else the node's own finding, and this less 1 is for how many milliseconds
/// draining  varint   views in which something that the node sent is not known stable
/// each:
///   term      varint
///   server    u64
///   view      varint
///   heard     varint   how often feedback has come
///   elsewhere byte     1: another view has answered since the first of it was sent; else 0
/// unheard   varint   for how many milliseconds the node has asked and read nothing from anybody; 0: it reads, or does not ask
/// answered  varint   for how many milliseconds the node has asked and nobody has answered; 0: somebody does, or it does not ask
/// blocked   varint   nodes of whose data nothing arrives, though their control does
/// each:
///   node      varint   key
///   for       varint   milliseconds
/// </code>
/// </summary>
internal static class ObservedFrame
{
    private const int ShortestSilent = 2;
    private const int ShortestDraining = 12;
    private const int MostOfEach = 1 << 16;

    /// <summary>So many of each fit the longest frame that a node sends; far fewer count.</summary>
    public const int MostTold = 1 << 14;

    /// <summary>Writes the frame.</summary>
    /// <param name="frame">Made new.</param>
    /// <param name="observed">What is told.</param>
    /// <param name="most">How many members that do not answer, and how many views, at most.</param>
    public static void Write(FrameBuilder frame, NodeObservations observed, int most = MostOfEach + 1)
    {
        int silents = Math.Min(observed.Silent.Count, most);
        frame.Begin(FrameKind.Observed).WriteVarint((ulong)silents);
        foreach (SilentMember silent in observed.Silent.Take(silents))
        {
            frame.WriteVarint(silent.Node).WriteVarint(silent.IsOwnFinding ? (ulong)(silent.SilentFor.Ticks / TimeSpan.TicksPerMillisecond) + 1 : 0);
        }
        int draining = Math.Min(observed.Draining.Count, most);
        frame.WriteVarint((ulong)draining);
        foreach (DrainingView view in observed.Draining.Take(draining))
        {
            frame.WriteEpoch(view.View.Epoch).WriteVarint(view.View.Counter).WriteVarint(view.Heard);
            frame.WriteByte(view.IsAnsweredElsewhere ? (byte)1 : (byte)0);
        }
        frame.WriteVarint((ulong)(observed.UnheardFor.Ticks / TimeSpan.TicksPerMillisecond));
        frame.WriteVarint((ulong)(observed.UnansweredFor.Ticks / TimeSpan.TicksPerMillisecond));
        int blocked = Math.Min(observed.Blocked.Count, most);
        frame.WriteVarint((ulong)blocked);
        foreach (BlockedPath path in observed.Blocked.Take(blocked))
            frame.WriteVarint(path.From).WriteVarint((ulong)(path.BlockedFor.Ticks / TimeSpan.TicksPerMillisecond));
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
            observed.Silent.Add(new SilentMember(key, since == 0 ? TimeSpan.Zero : TimeSpan.FromMilliseconds((long)since - 1), since != 0));
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
        return reader.IsAtEnd;
    }
}
