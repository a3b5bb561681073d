namespace QuickSilver.Protocol.Membership;

/// <summary>Whom this node's joins wait for, as the server said last; it says so once a second, after the first.</summary>
/// <param name="Stage">What they have to do.</param>
/// <param name="Total">How many they are.</param>
/// <param name="Names">The first of them, for people.</param>
public sealed record JoinWait(JoinStage Stage, int Total, IReadOnlyList<string> Names)
{
    /// <summary>Most names that are told.</summary>
    public const int MaxNames = 8;

    /// <inheritdoc/>
    public override string ToString()
    {
        string what = Stage switch
        {
            JoinStage.Install => "has not installed the view",
            JoinStage.Switch => "has not switched to the view",
            JoinStage.Drain => "is not done with an older view",
            _ => "has not reported to the new membership server",
        };
        string more = Total > Names.Count ? $" and {Total - Names.Count} more" : "";
        return $"{string.Join(", ", Names)}{more} {what}";
    }
}
