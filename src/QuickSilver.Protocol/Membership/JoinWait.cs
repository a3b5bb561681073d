namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The nodes for which this node's joins wait, as the server last reported. It reports once a second, after the first
/// second.
/// </summary>
/// <param name="Stage">The stage that they have to complete.</param>
/// <param name="Total">Number of nodes.</param>
/// <param name="Names">The first of them, for diagnostics. The one that has been silent to the server for longest comes
/// first.</param>
internal sealed record JoinWait(JoinStage Stage, int Total, IReadOnlyList<string> Names)
{
    /// <summary>Limit on the names reported.</summary>
    public const int MaxNames = 8;

    /// <inheritdoc/>
    public override string ToString()
    {
        bool isOne = Total == 1;
        string have = isOne ? "has" : "have";
        string what = Stage switch
        {
            JoinStage.Install => $"{have} not installed the view",
            JoinStage.Switch => $"{have} not switched to the view",
            JoinStage.Drain => isOne ? "is not done with an older view" : "are not done with an older view",
            _ => $"{have} not reported to the new membership server",
        };
        string more = Total > Names.Count ? $" and {Total - Names.Count} more" : "";
        return $"{string.Join(", ", Names.Select(QuotedName.Of))}{more} {what}";
    }
}
