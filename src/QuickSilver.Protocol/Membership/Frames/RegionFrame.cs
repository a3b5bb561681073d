using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The group sets of regions that the receiver does not know, each as a whole or as a difference to a region that it knew before the step.
/// <code>
/// kind      byte
/// regions   varint   how many
/// each:
///   region    varint
///   like      varint   the region that this one is like; 0: none
///   plus      runs     groups that the other lacks: without another, all of them
///   minus     runs     groups that only the other has; left out without another
/// </code>
/// The runs are those of <see cref="CounterRuns"/>.
/// </summary>
internal static class RegionFrame
{
    /// <summary>
    /// Most counters that the runs of one frame may unfold to: as many as a frame of the greatest length would have if each were spelled out. Who
    /// writes closes a frame far below.
    /// </summary>
    public const int MaxCounters = MembershipFrames.MaxFrameBytes / sizeof(uint);

    private const int ShortestEntry = 3;

    /// <summary>Writes one region as a whole.</summary>
    public static void WriteWhole(FrameBuilder frame, uint region, ReadOnlySpan<uint> groups)
    {
        frame.WriteVarint(region).WriteVarint(0);
        CounterRuns.Write(frame, groups);
    }

    /// <summary>Writes one region as a difference.</summary>
    public static void WriteDifference(FrameBuilder frame, uint region, uint like, ReadOnlySpan<uint> plus, ReadOnlySpan<uint> minus)
    {
        frame.WriteVarint(region).WriteVarint(like);
        CounterRuns.Write(frame, plus);
        CounterRuns.Write(frame, minus);
    }

    /// <summary>Reads a body; null when it is malformed.</summary>
    public static List<Entry>? TryRead(ref WireReader reader)
    {
        int count = FrameFields.ReadCount(ref reader, ShortestEntry);
        var entries = new List<Entry>(count);
        int left = MaxCounters;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            uint region = FrameFields.ReadCounter(ref reader);
            uint like = (uint)reader.ReadVarint(uint.MaxValue);
            uint[] plus = ReadRuns(ref reader, ref left);
            entries.Add(new Entry(region, like, plus, like == 0 ? [] : ReadRuns(ref reader, ref left)));
        }
        return reader.IsAtEnd ? entries : null;
    }

    private static uint[] ReadRuns(ref WireReader reader, ref int left)
    {
        uint[] counters = CounterRuns.Read(ref reader, Math.Min(left, CounterRuns.MaxCounters));
        left -= counters.Length;
        return counters;
    }

    /// <summary>One region as read.</summary>
    /// <param name="Region">Its counter.</param>
    /// <param name="Like">Counter of the region it is like; 0: none.</param>
    /// <param name="Plus">Groups that the other lacks.</param>
    /// <param name="Minus">Groups that only the other has.</param>
    internal readonly record struct Entry(uint Region, uint Like, uint[] Plus, uint[] Minus);
}
