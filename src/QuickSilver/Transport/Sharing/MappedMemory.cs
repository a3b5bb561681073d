using Microsoft.Win32.SafeHandles;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>A segment that processes share: a mapping, and for the owner the descriptor by which others find it.</summary>
/// <param name="name">Under which others find it.</param>
/// <param name="owner">The process whose segment it is.</param>
/// <param name="mapping">The mapping, which lives as long as this.</param>
/// <param name="blocks">How many blocks it has.</param>
/// <param name="descriptor">The owner's; null for a reader, which needs none once it has mapped.</param>
internal sealed unsafe class MappedMemory(SegmentName name, ProcessMark owner, SegmentMapping mapping, int blocks, SafeFileHandle? descriptor)
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
