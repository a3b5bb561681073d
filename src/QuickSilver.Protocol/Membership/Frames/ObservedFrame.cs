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
/// </code>
/// </summary>
internal static class ObservedFrame
{
    private const int ShortestSilent = 2;
    private const int ShortestDraining = 11;

    /// <summary>Writes the frame.</summary>
    public static void Write(FrameBuilder frame, NodeObservations observed)
    {
        frame.Begin(FrameKind.Observed).WriteVarint((ulong)observed.Silent.Count);
        foreach (SilentMember silent in observed.Silent)
        {
            frame.WriteVarint(silent.Node).WriteVarint(silent.IsOwnFinding ? (ulong)(silent.SilentFor.Ticks / TimeSpan.TicksPerMillisecond) + 1 : 0);
        }
        frame.WriteVarint((ulong)observed.Draining.Count);
        foreach (DrainingView view in observed.Draining)
        {
            frame.WriteEpoch(view.View.Epoch).WriteVarint(view.View.Counter).WriteVarint(view.Heard);
        }
    }

    /// <summary>Reads a body into <paramref name="observed"/>; false when it is malformed.</summary>
    public static bool TryRead(ref WireReader reader, NodeObservations observed)
    {
        observed.Clear();
        int count = FrameFields.ReadCount(ref reader, ShortestSilent);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong key = FrameFields.ReadKey(ref reader);
            ulong since = reader.ReadVarint(uint.MaxValue);
            observed.Silent.Add(new SilentMember(key, since == 0 ? TimeSpan.Zero : TimeSpan.FromMilliseconds((long)since - 1), since != 0));
        }
        count = FrameFields.ReadCount(ref reader, ShortestDraining);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            var view = new ViewNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
            observed.Draining.Add(new DrainingView(view, reader.ReadVarint()));
        }
        return reader.IsAtEnd;
    }
}
