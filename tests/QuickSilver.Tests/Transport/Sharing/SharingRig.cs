using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;
using QuickSilver.Transport.Sharing;

namespace QuickSilver.Tests.Transport.Sharing;

/// <summary>Nodes of one machine: with plain memory, whose processes live and whose time passes as the test says, or
/// with memory of the system.</summary>
internal sealed class SharingRig : IDisposable
{
    public const string Plain = "plain";
    public const string Mapped = "mapped";
    public const int Blocks = 8;

    private readonly string _kind;
    private readonly PlainSegments _machine;
    private readonly List<SharedMemory> _started = [];
    private uint _processes = 100;

    public SharingRig(string kind)
    {
        if (kind == Mapped) Assert.SkipUnless(OperatingSystem.IsLinux(), "memory that processes share is for Linux");
        _kind = kind;
        _machine = new PlainSegments(process => !Dead.Contains(process), () => Now);
    }

    /// <summary>Processes that have ended; plain memory only.</summary>
    public HashSet<uint> Dead { get; } = [];

    /// <summary>The time; plain memory only.</summary>
    public long Now { get; set; } = 10_000;

    /// <summary>Counters of the node that was started last.</summary>
    public TransportCounters Counters { get; private set; } = new();

    /// <summary>Starts a node.</summary>
    public SharedMemory Start(int blocks = Blocks)
    {
        Counters = new TransportCounters();
        string reason = "";
        uint process = ++_processes;
        SharedMemory? shared = _kind == Plain
            ? _machine.Start(process * 1_000, process, blocks, Counters)
            : SharedMemory.TryCreate(Counters, out reason, blocks);
        Assert.True(shared is not null, reason);
        _started.Add(shared);
        return shared;
    }

    /// <summary>Starts an owner and a reader of it, which the owner knows as node 7.</summary>
    public (SharedMemory Owner, SharedMemory Reader) StartPair()
    {
        SharedMemory owner = Start();
        SharedMemory reader = Start();
        Assert.True(reader.TryAttach(owner.Segment, 7));
        return (owner, reader);
    }

    /// <summary>Rents a block and fills it.</summary>
    public static Chunk Fill(SharedMemory owner, byte with)
    {
        Chunk? chunk = owner.TryRent(BufferOwner.Pending);
        Assert.NotNull(chunk);
        chunk.GetSpan().Fill(with);
        return chunk;
    }

    /// <summary>The note of a part of a chunk.</summary>
    public static NoteBody NoteOf(SharedMemory by, Chunk chunk, int offset = 100, int length = 1000)
    {
        Assert.True(by.TryLocate(new Slice(chunk, offset, length), out NoteBody note));
        return note;
    }

    /// <summary>Borrows, and sees that it is all of one byte.</summary>
    public static Slice Borrow(SharedMemory reader, NoteBody note, byte expected)
    {
        Assert.True(reader.TryBorrow(note, out Slice slice));
        Assert.Equal(note.Place.Length, slice.Length);
        AssertAll(slice.Span, expected);
        return slice;
    }

    public static void AssertAll(ReadOnlySpan<byte> bytes, byte expected) =>
        Assert.Equal(-1, bytes.IndexOfAnyExcept(expected));

    public void Dispose()
    {
        foreach (SharedMemory shared in _started) shared.Dispose();
    }
}
