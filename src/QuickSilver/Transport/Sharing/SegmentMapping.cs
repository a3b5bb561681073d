using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// A segment's mapping. It ends when nobody can reach it any more, by the collector: applications' leases may outlive the node, and a span of memory
/// that has been unmapped is the end of the process. A reader's place that is still taken then is given up before.
/// <para>
/// The collector sees a small object and is in no hurry; once the mapping is abandoned it is told how much hangs on it.
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

    /// <summary>The first byte.</summary>
    public byte* Start => (byte*)handle;

    /// <summary>A reader's place, to be given up at the end; -1: none.</summary>
    public int Place { get; set; } = -1;

    /// <summary>Maps a segment.</summary>
    /// <param name="descriptor">Reaches it; not needed any more afterwards.</param>
    /// <param name="blocks">Its blocks.</param>
    /// <param name="isOwn">True: blocks are written too, and not the control area alone.</param>
    /// <returns>Null when the system refuses.</returns>
    public static SegmentMapping? TryMap(SafeFileHandle descriptor, int blocks, bool isOwn)
    {
        const int All = SegmentNative.Read | SegmentNative.Write;
        nuint length = (nuint)SegmentLayout.TotalBytes(blocks);
        int protection = isOwn ? All : SegmentNative.Read;
        var mapping = new SegmentMapping(SegmentNative.Map(0, length, protection, SegmentNative.Shared, descriptor, 0), blocks);
        bool isGood = !mapping.IsInvalid
            && (isOwn || SegmentNative.Protect(mapping.handle, (nuint)SegmentLayout.ControlBytes(blocks), All) == 0);
        if (isGood) return mapping;
        mapping.Dispose();
        return null;
    }

    /// <summary>Tells the collector what it would win.</summary>
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
