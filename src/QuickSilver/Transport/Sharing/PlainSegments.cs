using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// A machine whose nodes are all in one process: segments are arrays in a table. For the simulator, which decides who lives and what time it is, and
/// for tests. Opening and closing is guarded; what the nodes then do with the memory is the same as between processes.
/// </summary>
/// <param name="isAlive">Whether a process, by the number that its node was made with, has not ended; null: all live.</param>
/// <param name="milliseconds">The time; null: the system's.</param>
internal sealed class PlainSegments(Func<uint, bool>? isAlive = null, Func<long>? milliseconds = null)
{
    private readonly Lock _changing = new();
    private readonly Dictionary<SegmentName, PlainMemory> _segments = [];

    /// <summary>Makes a node's part of the machine.</summary>
    /// <param name="key">Its segment's key, which no other segment has.</param>
    /// <param name="process">The number of its process, as the machine's liveness knows it.</param>
    /// <param name="blocks">Blocks of its segment.</param>
    /// <param name="counters">Where it counts.</param>
    public SharedMemory Start(ulong key, uint process, int blocks, TransportCounters counters)
    {
        var name = new SegmentName(key, process, 0);
        var self = new ProcessMark(process, 1);
        PlainMemory memory = PlainMemory.Make(this, name, self, blocks);
        lock (_changing) _segments.Add(name, memory);
        return new SharedMemory(memory, new Host(this, self), counters);
    }

    /// <summary>Takes a segment off the table: nobody opens it any more.</summary>
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
                return machine.IsAlive(name.Process) && machine._segments.TryGetValue(name, out PlainMemory? memory) ? memory.Open() : null;
        }

        public bool IsAlive(ProcessMark process) => machine.IsAlive(process.Process);
    }

    private long Now => milliseconds?.Invoke() ?? Environment.TickCount64;
}
