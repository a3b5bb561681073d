using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>The memory of a segment in an array, for nodes of one process, such as the simulator's. Owner and readers
/// have an object each for the same array.</summary>
internal sealed unsafe class PlainMemory : SegmentMemory
{
    private readonly byte[] _array;
    private readonly PlainSegments? _listed;

    private PlainMemory(SegmentName name, ProcessMark owner, byte[] array, int blocks, PlainSegments? listed)
        : base(name, owner, (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array)), blocks)
    {
        _array = array;
        _listed = listed;
    }

    /// <summary>Creates a segment that stays in the table until it is closed.</summary>
    public static PlainMemory Make(PlainSegments list, SegmentName name, ProcessMark owner, int blocks)
    {
        byte[] array = GC.AllocateArray<byte>(checked((int)SegmentLayout.TotalBytes(blocks)), pinned: true);
        SegmentLayout.WriteHeader(array, name.Key, owner, 0, blocks);
        return new PlainMemory(name, owner, array, blocks, list);
    }

    /// <summary>Returns an object for a reader of the same memory.</summary>
    public PlainMemory Open() => new(Name, Owner, _array, Blocks, null);

    /// <inheritdoc/>
    public override void Close() => _listed?.Remove(Name);
}
