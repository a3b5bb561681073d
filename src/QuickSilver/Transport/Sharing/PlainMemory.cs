using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>A segment in an array: for nodes of one process, such as the simulator's. Many objects may stand for one array: one for each
/// reader.</summary>
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

    /// <summary>Makes a segment that is listed until it is closed.</summary>
    public static PlainMemory Make(PlainSegments list, SegmentName name, ProcessMark owner, int blocks)
    {
        byte[] array = GC.AllocateArray<byte>(checked((int)SegmentLayout.TotalBytes(blocks)), pinned: true);
        SegmentLayout.WriteHeader(array, name.Key, owner, 0, blocks);
        return new PlainMemory(name, owner, array, blocks, list);
    }

    /// <summary>The same memory, for a reader.</summary>
    public PlainMemory Open() => new(Name, Owner, _array, Blocks, null);

    /// <inheritdoc/>
    public override void Close() => _listed?.Remove(Name);
}
