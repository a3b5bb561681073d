using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>Where the packets of a train lie.</summary>
internal enum PacketPlace
{
    /// <summary>One behind another, in one piece of memory.</summary>
    OnePiece,

    /// <summary>In chunks of this node's segment, which the members read.</summary>
    Shared,

    /// <summary>One packet, behind packets of other trains that were alone too.</summary>
    Lone,
}

/// <summary>
/// The memory of one stream's packets, from their packing until they are stable.
/// <para>
/// Where a full packet takes a chunk of its own, lone short packets would each take one too. Hundreds of chunks that
/// begin at the same offset of a page evict each other from the processor's caches. So packets that are expected to be
/// short and alone lie behind each other in chunks of their own.
/// </para>
/// <para>
/// O(1); allocates nothing in steady state. Core thread only.
/// </para>
/// </summary>
internal sealed class PacketMemory(SendContext context)
{
    private readonly Arena _packets = new(context.Pool, BufferOwner.Pending, context.Transport.SharedMemory);
    private readonly Probes _probes = context.Settings.Probes;

    /// <summary>Memory of short packets, one behind another.</summary>
    public Arena Lone { get; } = new(context.Pool, BufferOwner.Pending);

    /// <summary>Memory of notes.</summary>
    public Arena Notes { get; } = new(context.Pool, BufferOwner.Pending);

    /// <summary>The memory of a place.</summary>
    public Arena At(PacketPlace place) => place == PacketPlace.Lone ? Lone : _packets;

    /// <summary>Makes sure that so many bytes lie in one piece.</summary>
    public void StartInOnePiece(PacketPlace place, long bytes)
    {
        Arena arena = At(place);
        if (arena.Remaining < bytes) arena.StartChunk();
    }

    /// <summary>Makes room for a packet that members can read; false when no block of the segment is free.</summary>
    public bool TryContinueShared(int slot)
    {
        if (_packets.IsShared && _packets.Remaining >= slot) return true;
        _packets.StartChunk(shared: true);
        if (!_packets.IsShared) _probes.Reached("no block of the segment is free");
        return _packets.IsShared;
    }

    /// <summary>Releases the memory kept for the next packets.</summary>
    public void ReleaseSpare()
    {
        _packets.Close();
        Lone.Close();
        Notes.Close();
    }
}
