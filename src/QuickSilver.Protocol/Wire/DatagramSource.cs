namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Which of a node's endpoints a kind of datagram is sent from: see <see cref="DatagramKinds.SourceOf"/>.
/// </summary>
internal enum DatagramSource : byte
{
    /// <summary>Not checked: the datagram is only counted.</summary>
    Anywhere,

    /// <summary>The control endpoint.</summary>
    Control,

    /// <summary>The data endpoint; by multicast any port of the node's host.</summary>
    Data,
}
