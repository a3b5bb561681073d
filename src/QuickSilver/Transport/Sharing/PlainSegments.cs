using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// A machine whose nodes are all in one process: segments are arrays in a table. It serves tests and the simulator,
/// which controls time and the liveness of processes. A lock guards opening and closing. The nodes then use the memory
/// as between processes.
/// </summary>
/// <param name="isAlive">Returns false for the number of a process that has ended; null when all live.</param>
/// <param name="milliseconds">Returns the time; null for the system's.</param>
internal sealed class PlainSegments(Func<uint, bool>? isAlive = null, Func<long>? milliseconds = null)
{
    private readonly Lock _changing = new();
    private readonly Dictionary<SegmentName, PlainMemory> _segments = [];

    /// <summary>Creates a node's part of the shared memory.</summary>
    /// <param name="key">The unique key of its segment.</param>
    /// <param name="process">The number of its process.</param>
    /// <param name="blocks">The number of blocks of its segment.</param>
    /// <param name="counters">The counters of its transport.</param>
    public SharedMemory Start(ulong key, uint process, int blocks, TransportCounters counters)
    {
        var name = new SegmentName(key, process, 0);
        var self = new ProcessMark(process, 1);
        PlainMemory memory = PlainMemory.Make(this, name, self, blocks);
        lock (_changing) _segments.Add(name, memory);
        return new SharedMemory(memory, new Host(this, self), counters);
    }

    /// <summary>Removes a segment from the table, so that it cannot be opened any more.</summary>
    public void Remove(SegmentName name)
    {
        lock (_changing) _segments.Remove(name);
    }

    private bool IsAlive(uint process) => isAlive?.Invoke(process) ?? true;

    private sealed class Host(PlainSegments machine, ProcessMark self) : ISegmentHost
    {
        public ProcessMark Self => self;

        public long Milliseconds => machine.Now;

        public SegmentMemory? TryOpen(in SegmentName name)
        {
            lock (machine._changing)
                return machine.IsAlive(name.Process) && machine._segments.TryGetValue(name, out PlainMemory? memory)
                    ? memory.Open()
                    : null;
        }

        public bool IsAlive(ProcessMark process) => machine.IsAlive(process.Process);
    }

    private long Now => milliseconds?.Invoke() ?? Environment.TickCount64;
}
