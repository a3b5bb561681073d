namespace QuickSilver.Protocol.Membership;

/// <summary>
/// What a node has to say of others that hold it up, gathered ahead of each heartbeat. The server removes nobody for one node's word, or for one
/// look. Core thread only; the lists are used again.
/// </summary>
public sealed class NodeObservations
{
    /// <summary>Members that do not answer; one may be named more than once.</summary>
    public List<SilentMember> Silent { get; } = [];

    /// <summary>Views in which something that this node sent is not known stable.</summary>
    public List<DrainingView> Draining { get; } = [];

    /// <summary>Nodes of whose data nothing arrives here, though their control does.</summary>
    public List<BlockedPath> Blocked { get; } = [];

    /// <summary>For how long the node has been asking others, and has read not one datagram of theirs; zero when it has, or has not asked.</summary>
    public TimeSpan UnheardFor { get; set; }

    /// <summary>For how long the node has been asking others, and nobody has answered; not less than <see cref="UnheardFor"/>.</summary>
    public TimeSpan UnansweredFor { get; set; }

    /// <summary>True when nothing holds the node up.</summary>
    public bool IsEmpty => Silent.Count + Draining.Count + Blocked.Count == 0 && UnheardFor == TimeSpan.Zero;

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        Silent.Clear();
        Draining.Clear();
        Blocked.Clear();
        UnheardFor = TimeSpan.Zero;
        UnansweredFor = TimeSpan.Zero;
    }
}
