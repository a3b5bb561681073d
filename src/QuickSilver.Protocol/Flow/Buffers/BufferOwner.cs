namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>Who took a chunk from the pool: what a leak is traced to, and what the memory figures are split by.</summary>
public enum BufferOwner : byte
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
