using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>The services of the machine that segments need: opening others' segments, the liveness of processes, and
/// the time.</summary>
internal interface ISegmentHost
{
    /// <summary>The process of this node.</summary>
    ProcessMark Self { get; }

    /// <summary>Milliseconds since an arbitrary instant; only rises.</summary>
    long Milliseconds { get; }

    /// <summary>Opens another node's segment. Names are not trusted, and no name causes an exception.</summary>
    /// <returns>The memory; null when it is absent, does not match the name, or is not trustworthy.</returns>
    SegmentMemory? TryOpen(in SegmentName name);

    /// <summary>False when a process has certainly ended; true when it lives, is stopped, or its state is
    /// unknown.</summary>
    bool IsAlive(ProcessMark process);
}
