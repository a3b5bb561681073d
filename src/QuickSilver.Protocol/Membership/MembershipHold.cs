namespace QuickSilver.Protocol.Membership;

/// <summary>That a membership server holds back, and for which members.</summary>
/// <param name="Reason">Why.</param>
/// <param name="Missing">How many members it waits for.</param>
/// <param name="Present">How many are there.</param>
/// <param name="Names">The first of those it waits for, for people.</param>
public sealed record MembershipHold(HoldReason Reason, int Missing, int Present, IReadOnlyList<string> Names)
{
    /// <summary>It does not hold back.</summary>
    public static MembershipHold None { get; } = new(HoldReason.None, 0, 0, []);

    /// <inheritdoc/>
    public override string ToString()
    {
        string more = Missing > Names.Count ? $" and {Missing - Names.Count} more" : "";
        string what = Reason == HoldReason.Sight ? "lost from sight at once" : "not back";
        return $"{Missing} of {Missing + Present} members are {what}: {string.Join(", ", Names)}{more}";
    }
}
