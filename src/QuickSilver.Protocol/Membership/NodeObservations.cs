namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A node's observations of others that hold it up, gathered before each heartbeat. The server removes no node for the
/// observations of one node, or for a single observation. Core thread only; the lists are reused.
/// </summary>
internal sealed class NodeObservations
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

    /// <summary>Members that are behind, as this node knows from rounds; the one furthest behind first.</summary>
    public List<SlowMember> Slow { get; } = [];

    /// <summary>Time for which the node itself has been behind in a view; zero when it keeps up.</summary>
    public TimeSpan BehindFor { get; set; }

    /// <summary>True when the handlers of the node's application take most of its time.</summary>
    public bool IsHandling { get; set; }

    /// <summary>
    /// True after a pause of this node: answers of others may still be unread, so it can speak of itself alone.
    /// </summary>
    public bool IsLate { get; set; }

    /// <summary>True when no way to or from another node is in doubt.</summary>
    public bool HasNoFindings => Silent.Count + Draining.Count + Blocked.Count == 0 && UnheardFor == TimeSpan.Zero;

    /// <summary>True when nothing holds the node up, it keeps up, and its handlers have time to spare.</summary>
    public bool IsEmpty => HasNoFindings && Slow.Count == 0 && BehindFor == TimeSpan.Zero && !IsHandling;

    /// <summary>Clears all observations.</summary>
    public void Clear()
    {
        Silent.Clear();
        Draining.Clear();
        Blocked.Clear();
        Slow.Clear();
        BehindFor = TimeSpan.Zero;
        IsHandling = false;
        IsLate = false;
        UnheardFor = TimeSpan.Zero;
        UnansweredFor = TimeSpan.Zero;
    }
}
