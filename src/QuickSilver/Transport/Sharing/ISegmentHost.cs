using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>The machine, as segments see it: where others' are found, which processes live, what time it is.</summary>
internal interface ISegmentHost
{
    /// <summary>The process that this node is in.</summary>
    ProcessMark Self { get; }

    /// <summary>Milliseconds since some moment.</summary>
    long Milliseconds { get; }

    /// <summary>Opens another node's segment. Trusts no name, throws for none.</summary>
    /// <returns>Null when it is not there, is not what was named, or is not to be trusted.</returns>
    SegmentMemory? TryOpen(in SegmentName name);

    /// <summary>False when a process has certainly ended; true when it lives, is stopped, or cannot be told.</summary>
    bool IsAlive(ProcessMark process);
}
