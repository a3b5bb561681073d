namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>The socket by which a train leaves.</summary>
internal enum TrainRoute : byte
{
    /// <summary>The control socket, to one node's control endpoint.</summary>
    Control,

    /// <summary>The unicast data socket, to one node's data endpoint.</summary>
    Unicast,

    /// <summary>A region's channel: one multicast.</summary>
    Region,
}
