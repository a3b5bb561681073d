using Microsoft.Win32.SafeHandles;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>The memory of a segment that processes share: a mapping, and for the owner the descriptor by which others
/// open it.</summary>
/// <param name="name">The name under which others open it.</param>
/// <param name="owner">The process of the owner.</param>
/// <param name="mapping">The mapping, which lives as long as this object.</param>
/// <param name="blocks">The number of blocks.</param>
/// <param name="descriptor">The owner's descriptor; null for a reader, which needs none once the memory is
/// mapped.</param>
internal sealed unsafe class MappedMemory(
    SegmentName name, ProcessMark owner, SegmentMapping mapping, int blocks, SafeFileHandle? descriptor)
    : SegmentMemory(name, owner, mapping.Start, blocks)
{
    /// <inheritdoc/>
    public override void Occupy(int place) => mapping.Place = place;

    /// <inheritdoc/>
    public override void Close() => descriptor?.Dispose();

    /// <inheritdoc/>
    public override void Abandon() => mapping.Abandon();

    /// <inheritdoc/>
    public override void Discard() => mapping.Dispose();
}
