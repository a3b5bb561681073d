namespace QuickSilver;

/// <summary>How the nodes of a cluster elect the one that serves its membership
/// (<see cref="MembershipMode.Peers"/>).</summary>
public sealed class PeerOptions
{
    /// <summary>Whether this node votes and may serve. A node that does not is a client of those that do. Default:
    /// true.</summary>
    public bool MayServe { get; set; } = true;

    /// <summary>Number of nodes that found the cluster together. A node that finds no cluster waits for so many, itself
    /// included. With 1 it founds at once: two that start while they do not reach each other make two clusters. On a
    /// network set it to the number of nodes that start first. Default: 1.</summary>
    public int Founders { get; set; } = 1;

    /// <summary>Number of votes of this node, 0 to 100. Default: 1.</summary>
    public int Weight { get; set; } = 1;

    /// <summary>The name of the node that decides when exactly half of the votes are there. Null (default): the node
    /// that serves; so when one of two nodes dies the other goes on if it is the one that serves.</summary>
    public string? TieBreak { get; set; }

    /// <summary>Whether two clusters of this name and key become one when their servers learn of each other, as after a
    /// cut in which both were founded. The server with fewer nodes stops, and its nodes go to the other under new ids,
    /// as after an eviction. False: both go on, and say once a minute that there is another (log record 1132). Both
    /// servers have to agree. Default: true.</summary>
    public bool Merge { get; set; } = true;

    internal PeerOptions Copy() => (PeerOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Membership.Peers.Founders", Founders, 1, MostFounders);
        errors.InRange("Membership.Peers.Weight", Weight, 0, MostVotes);
        if (TieBreak is { Length: 0 })
            errors.Add("Membership.Peers.TieBreak", "is empty: give the name of a node, or leave it null");
    }

    private const int MostFounders = 1_000;
    private const int MostVotes = 100;
}
