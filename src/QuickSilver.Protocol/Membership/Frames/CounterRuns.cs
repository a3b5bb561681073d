using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// A sorted list of counters as runs of consecutive ones. Ids are given in order of first use, and groups that are
/// used together are mostly first used together. So the list of a node in ten thousand groups is often one run.
/// <code>
/// runs    varint   how many
/// each:
///   gap     varint   first run: the first counter; later ones: counters left out between the runs; at least 1
///   more    varint   counters in the run after its first
/// </code>
/// </summary>
internal static class CounterRuns
{
    /// <summary>
    /// Limit on the counters of one list, at the limit of a server's groups. Bounds the memory that a short frame can
    /// expand to.
    /// </summary>
    public const int MaxCounters = 1 << 20;

    /// <summary>Writes a list of rising counters, none of them 0.</summary>
    public static void Write(FrameBuilder frame, ReadOnlySpan<uint> counters)
    {
        int runs = 0;
        for (int index = 0; index < counters.Length; index++)
        {
            if (index == 0 || counters[index] != counters[index - 1] + 1) runs++;
        }
        frame.WriteVarint((ulong)runs);
        ulong next = 0;
        for (int index = 0; index < counters.Length;)
        {
            int end = index + 1;
            while (end < counters.Length && counters[end] == counters[end - 1] + 1) end++;
            frame.WriteVarint(counters[index] - next).WriteVarint((ulong)(end - index - 1));
            next = counters[end - 1] + 1UL;
            index = end;
        }
    }

    /// <summary>Reads a list; empty, and the reader failed, when it is malformed or too long.</summary>
    /// <param name="reader">Reads the body.</param>
    /// <param name="limit">The most counters accepted, at most <see cref="MaxCounters"/>.</param>
    public static uint[] Read(ref WireReader reader, int limit = MaxCounters)
    {
        int runs = FrameFields.ReadCount(ref reader, 2);
        WireReader again = reader;
        ulong total = 0;
        ulong next = 0;
        for (int run = 0; run < runs; run++)
        {
            ulong gap = reader.ReadVarint(uint.MaxValue);
            ulong more = reader.ReadVarint(MaxCounters);
            next += gap + more + 1;
            total += more + 1;
            if (gap == 0 || next > 1UL + uint.MaxValue || total > (ulong)limit) reader.Fail();
            if (reader.Failed) return [];
        }
        uint[] counters = new uint[total];
        int count = 0;
        next = 0;
        for (int run = 0; run < runs; run++)
        {
            next += again.ReadVarint();
            ulong end = next + again.ReadVarint() + 1;
            while (next < end) counters[count++] = (uint)next++;
        }
        return counters;
    }
}
