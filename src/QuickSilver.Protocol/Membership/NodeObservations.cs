namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A node's observations of others that hold it up, gathered before each heartbeat. The server removes no node for the
/// observations of one node, or for a single observation. Core thread only; the lists are reused.
/// </summary>
public sealed class NodeObservations
{
    /// <summary>Members that do not answer; one may be listed more than once.</summary>
    public List<SilentMember> Silent { get; } = [];

    /// <summary>Views in which packets of this node are not known stable.</summary>
    public List<DrainingView> Draining { get; } = [];

    /// <summary>Nodes whose control datagrams arrive here while no data does.</summary>
    public List<BlockedPath> Blocked { get; } = [];

    /// <summary>
    /// Time for which the node has sent requests without reading any datagram of others; zero when it reads some, or
    /// sends none.
    /// </summary>
    public TimeSpan UnheardFor { get; set; }

    /// <summary>
    /// Time for which the node has sent requests without any answer; not less than <see cref="UnheardFor"/>.
    /// </summary>
    public TimeSpan UnansweredFor { get; set; }

    /// <summary>True when nothing holds the node up.</summary>
    public bool IsEmpty => Silent.Count + Draining.Count + Blocked.Count == 0 && UnheardFor == TimeSpan.Zero;

    /// <summary>Clears all observations.</summary>
    public void Clear()
    {
        Silent.Clear();
        Draining.Clear();
        Blocked.Clear();
        UnheardFor = TimeSpan.Zero;
        UnansweredFor = TimeSpan.Zero;
    }
}
