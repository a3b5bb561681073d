namespace QuickSilver.Protocol.Membership;

/// <summary>Whom this node's joins wait for, as the server said last; it says so once a second, after the first.</summary>
/// <param name="Stage">What they have to do.</param>
/// <param name="Total">How many they are.</param>
/// <param name="Names">The first of them, for people: first the one that the server has not heard from for longest.</param>
public sealed record JoinWait(JoinStage Stage, int Total, IReadOnlyList<string> Names)
{
    /// <summary>Most names that are told.</summary>
    public const int MaxNames = 8;

    /// <inheritdoc/>
    public override string ToString()
    {
        bool isOne = Total == 1;
        string what = Stage switch
        {
            JoinStage.Install => isOne ? "has not installed the view" : "have not installed the view",
            JoinStage.Switch => isOne ? "has not switched to the view" : "have not switched to the view",
            JoinStage.Drain => isOne ? "is not done with an older view" : "are not done with an older view",
            _ => isOne ? "has not reported to the new membership server" : "have not reported to the new membership server",
        };
        string more = Total > Names.Count ? $" and {Total - Names.Count} more" : "";
        return $"{string.Join(", ", Names.Select(QuotedName.Of))}{more} {what}";
    }
}
