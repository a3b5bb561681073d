using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The group sets of regions that the receiver does not know, each complete or as a difference to a region that it
/// knew before the step.
/// <code>
/// kind      byte
/// regions   varint   number of regions
/// each:
///   region    varint
///   like      varint   the region to which this is a difference; 0: none
///   plus      runs     groups that the other region lacks: all groups when there is none
///   minus     runs     groups that only the other region has; absent when there is none
/// </code>
/// The runs are those of <see cref="CounterRuns"/>.
/// </summary>
internal static class RegionFrame
{
    /// <summary>
    /// Limit on the counters that the runs of one frame may expand to: the number in a frame of the greatest length
    /// without runs. The writer closes a frame far below it.
    /// </summary>
    public const int MaxCounters = MembershipFrames.MaxFrameBytes / sizeof(uint);

    private const int ShortestEntry = 3;

    /// <summary>Writes one complete region.</summary>
    public static void WriteWhole(FrameBuilder frame, uint region, ReadOnlySpan<uint> groups)
    {
        frame.WriteVarint(region).WriteVarint(0);
        CounterRuns.Write(frame, groups);
    }

    /// <summary>Writes one region as a difference.</summary>
    public static void WriteDifference(
        FrameBuilder frame, uint region, uint like, ReadOnlySpan<uint> plus, ReadOnlySpan<uint> minus)
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
        int remaining = MaxCounters;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            uint region = FrameFields.ReadCounter(ref reader);
            uint like = (uint)reader.ReadVarint(uint.MaxValue);
            uint[] plus = ReadRuns(ref reader, ref remaining);
            entries.Add(new Entry(region, like, plus, like == 0 ? [] : ReadRuns(ref reader, ref remaining)));
        }
        return reader.IsAtEnd ? entries : null;
    }

    private static uint[] ReadRuns(ref WireReader reader, ref int remaining)
    {
        uint[] counters = CounterRuns.Read(ref reader, Math.Min(remaining, CounterRuns.MaxCounters));
        remaining -= counters.Length;
        return counters;
    }

    /// <summary>One region as read.</summary>
    /// <param name="Region">Counter of the region.</param>
    /// <param name="Like">Counter of the region to which this is a difference; 0: none.</param>
    /// <param name="Plus">Groups that the other region lacks.</param>
    /// <param name="Minus">Groups that only the other region has.</param>
    internal readonly record struct Entry(uint Region, uint Like, uint[] Plus, uint[] Minus);
}
