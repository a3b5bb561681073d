namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>The result of offering a train to the kernel.</summary>
internal enum SendOutcome : byte
{
    /// <summary>The kernel took it.</summary>
    Sent,

    /// <summary>The socket is full: offer the same train again when it can send.</summary>
    Busy,

    /// <summary>The kernel refused it (unreachable, interface down); counted, treated like loss.</summary>
    Failed,
}
