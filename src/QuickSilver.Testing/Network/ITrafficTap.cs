namespace QuickSilver.Testing.Network;

/// <summary>
/// Sees everything that a cluster's nodes and its membership server say to each other, and may put words in their
/// mouths: for collecting real traffic, and for letting damaged or forged copies of it run beside it.
/// </summary>
internal interface ITrafficTap
{
    /// <summary>A node has handed a datagram to its interface.</summary>
    void OnDatagram(ReadOnlySpan<byte> datagram);

    /// <summary>A frame of the membership is on its way.</summary>
    /// <param name="fromServer">True: from the server to a node; false: from a node to the server.</param>
    /// <param name="frame">The frame.</param>
    void OnFrame(bool fromServer, ReadOnlySpan<byte> frame);

    /// <summary>A copy of a datagram is on its way to a socket: something else may arrive at that socket with
    /// it.</summary>
    /// <param name="datagram">The real one.</param>
    /// <returns>What arrives just after it, valid until the next call; empty: nothing does.</returns>
    ReadOnlySpan<byte> Forge(ReadOnlySpan<byte> datagram);
}
