using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// What the ring of one region view tells the other parts of its recovery. The ring alone writes it. Core thread only.
/// </summary>
/// <param name="self">This member.</param>
internal sealed class RingFacts(int self)
{
    /// <summary>The member that leads.</summary>
    public int Leader { get; set; }

    /// <summary>True when this member leads.</summary>
    public bool IsLeader => Leader == self;

    /// <summary>Number of times that the lead changed, as this member saw it.</summary>
    public int Term { get; set; } = 1;

    /// <summary>The usual round trip of this member's hops.</summary>
    public TimeSpan UsualRoundTrip { get; set; }

    /// <summary>Members that the last round seen here had skipped by then, ascending.</summary>
    public List<int> Skipped { get; } = [];

    /// <summary>True when the last round seen here had skipped a member by then.</summary>
    public bool SkipsSomebody => Skipped.Count > 0;

    /// <summary>Members that were behind in the last round that ended here, or that a token has reported.</summary>
    public LagList Behind { get; } = new();
}
