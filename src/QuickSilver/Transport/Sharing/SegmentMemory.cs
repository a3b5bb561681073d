using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The memory of a segment, however it was got: a mapping that processes share, or an array that the nodes of one process do. It stays where it is as
/// long as this object can be reached, which chunks of it see to; it is never taken away by hand from under who may still look.
/// </summary>
/// <param name="name">Under which others find it.</param>
/// <param name="owner">The process whose segment it is.</param>
/// <param name="start">Its first byte.</param>
/// <param name="blocks">How many blocks it has.</param>
internal abstract unsafe class SegmentMemory(SegmentName name, ProcessMark owner, byte* start, int blocks)
{
    private readonly byte* _blocks = start + SegmentLayout.ControlBytes(blocks);

    /// <summary>Under which others find it.</summary>
    public SegmentName Name => name;

    /// <summary>The process whose segment it is.</summary>
    public ProcessMark Owner => owner;

    /// <summary>How many blocks it has.</summary>
    public int Blocks => blocks;

    /// <summary>What owner and readers say to each other.</summary>
    public SegmentControl Control => new(start);

    /// <summary>A block's first byte.</summary>
    public byte* Block(int block) => _blocks + ((long)block * SegmentLayout.BlockBytes);

    /// <summary>The block that begins at an address.</summary>
    public int BlockAt(void* address) => (int)(((byte*)address - _blocks) / SegmentLayout.BlockBytes);

    /// <summary>This reader's place; should the memory become unreachable while it is taken, it is given up. -1: none.</summary>
    public virtual void Occupy(int place)
    {
    }

    /// <summary>The owner lets nobody open it any more.</summary>
    public virtual void Close()
    {
    }

    /// <summary>It will not be used again, except through chunks of it that are still out.</summary>
    public virtual void Abandon()
    {
    }

    /// <summary>Nobody has made anything of it yet: it may go at once.</summary>
    public virtual void Discard()
    {
    }
}
