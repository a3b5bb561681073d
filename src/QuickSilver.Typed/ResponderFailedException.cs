namespace QuickSilver.Typed;

/// <summary>The responder of a member threw; that is its answer.</summary>
public sealed class ResponderFailedException : Exception
{
    /// <summary>Creates an exception.</summary>
    /// <param name="member">The member that answered.</param>
    /// <param name="error">What its responder threw, as text.</param>
    public ResponderFailedException(Member member, string error)
        : base($"The responder of '{member?.Name}' threw: {error}") => Member = member!;

    /// <summary>The member that answered.</summary>
    public Member Member { get; }
}
