namespace QuickSilver.Protocol.Membership;

/// <summary>The hold of a membership server, and the members it waits for.</summary>
/// <param name="Reason">The reason for the hold.</param>
/// <param name="Missing">Number of members that the server waits for.</param>
/// <param name="Present">Number of members that are present.</param>
/// <param name="Names">The first of the missing members, for diagnostics.</param>
internal sealed record MembershipHold(HoldReason Reason, int Missing, int Present, IReadOnlyList<string> Names)
{
    /// <summary>No hold.</summary>
    public static MembershipHold None { get; } = new(HoldReason.None, 0, 0, []);

    /// <inheritdoc/>
    public override string ToString()
    {
        string more = Missing > Names.Count ? $" and {Missing - Names.Count} more" : "";
        string what = Reason == HoldReason.Sight ? "lost from sight at once" : "not back";
        return $"{Missing} of {Missing + Present} members are {what}: {string.Join(", ", Names)}{more}";
    }
}
