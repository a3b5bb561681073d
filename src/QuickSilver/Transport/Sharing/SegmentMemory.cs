using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The memory of a segment: a mapping that processes share, or an array that the nodes of one process share. It stays
/// in place as long as this object is reachable, which its chunks ensure. It is never freed explicitly while a reader
/// may use it.
/// </summary>
/// <param name="name">The name under which others open it.</param>
/// <param name="owner">The process of the owner.</param>
/// <param name="start">The address of its first byte.</param>
/// <param name="blocks">The number of blocks.</param>
internal abstract unsafe class SegmentMemory(SegmentName name, ProcessMark owner, byte* start, int blocks)
{
    private readonly byte* _blocks = start + SegmentLayout.ControlBytes(blocks);

    /// <summary>The name under which others open it.</summary>
    public SegmentName Name => name;

    /// <summary>The process of the owner.</summary>
    public ProcessMark Owner => owner;

    /// <summary>The number of blocks.</summary>
    public int Blocks => blocks;

    /// <summary>The control area that owner and readers share.</summary>
    public SegmentControl Control => new(start);

    /// <summary>Returns the address of a block.</summary>
    public byte* Block(int block) => _blocks + ((long)block * SegmentLayout.BlockBytes);

    /// <summary>Returns the index of the block at an address.</summary>
    public int BlockAt(void* address) => (int)(((byte*)address - _blocks) / SegmentLayout.BlockBytes);

    /// <summary>Sets this reader's place (-1 for none), which is released if the memory becomes unreachable.</summary>
    public virtual void Occupy(int place)
    {
    }

    /// <summary>Prevents further opening. Owner only.</summary>
    public virtual void Close()
    {
    }

    /// <summary>Notes that the memory is no longer used, except through chunks not yet returned.</summary>
    public virtual void Abandon()
    {
    }

    /// <summary>Frees the memory at once, before any chunk of it exists.</summary>
    public virtual void Discard()
    {
    }
}
