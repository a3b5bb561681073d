using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// A segment's mapping. The garbage collector ends it when it is unreachable. Applications' leases may outlive the
/// node, and reading a span of unmapped memory would kill the process. A reader's place that is still claimed is
/// released before.
/// <para>
/// The collector sees a small object, and may not run soon. An abandoned mapping therefore adds its size to the memory
/// pressure.
/// </para>
/// </summary>
internal sealed unsafe class SegmentMapping : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly int _blocks;
    private long _pressure;

    private SegmentMapping(nint start, int blocks)
        : base(ownsHandle: true)
    {
        _blocks = blocks;
        SetHandle(start);
    }

    /// <summary>The address of the first byte.</summary>
    public byte* Start => (byte*)handle;

    /// <summary>The reader's place to release at the end; -1 for none.</summary>
    public int Place { get; set; } = -1;

    /// <summary>Maps a segment.</summary>
    /// <param name="descriptor">The descriptor of the memory; not needed afterwards.</param>
    /// <param name="blocks">The number of blocks.</param>
    /// <param name="isOwn">True to make the blocks writable too, and not only the control area.</param>
    /// <returns>The mapping; null when the system refuses.</returns>
    public static SegmentMapping? TryMap(SafeFileHandle descriptor, int blocks, bool isOwn)
    {
        const int All = SegmentNative.Read | SegmentNative.Write;
        nuint length = (nuint)SegmentLayout.TotalBytes(blocks);
        int protection = isOwn ? All : SegmentNative.Read;
        var mapping = new SegmentMapping(
            SegmentNative.Map(0, length, protection, SegmentNative.Shared, descriptor, 0), blocks);
        bool isGood = !mapping.IsInvalid
            && (isOwn || SegmentNative.Protect(mapping.handle, (nuint)SegmentLayout.ControlBytes(blocks), All) == 0);
        if (isGood) return mapping;
        mapping.Dispose();
        return null;
    }

    /// <summary>Adds the memory of the segment to the pressure on the garbage collector. Call when the segment is no
    /// longer used.</summary>
    public void Abandon()
    {
        int touched = Math.Clamp(new SegmentControl(Start).Touched, 1, _blocks);
        if (_pressure != 0) return;
        _pressure = (long)touched * SegmentLayout.BlockBytes;
        GC.AddMemoryPressure(_pressure);
    }

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        if (Place >= 0) new SegmentControl(Start).Leave(Place, _blocks);
        if (_pressure != 0) GC.RemoveMemoryPressure(_pressure);
        return SegmentNative.Unmap(handle, (nuint)SegmentLayout.TotalBytes(_blocks)) == 0;
    }
}
