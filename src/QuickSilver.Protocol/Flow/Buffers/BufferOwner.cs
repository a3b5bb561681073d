namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>
/// The purpose for which a chunk was rented: leaks are traced by it, and memory figures are split by it.
/// </summary>
internal enum BufferOwner : byte
{
    /// <summary>Packets sent and not yet known stable.</summary>
    Pending,

    /// <summary>Received packets, cached or waiting for delivery.</summary>
    Cache,

    /// <summary>Messages that span packets, being joined.</summary>
    Reassembly,

    /// <summary>Packets of views or steps not yet installed.</summary>
    Unrecognised,

    /// <summary>Everything else: tokens in flight, scratch.</summary>
    Control,
}
