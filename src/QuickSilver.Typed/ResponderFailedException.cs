namespace QuickSilver.Typed;

/// <summary>A member has answered with an error: its responder threw, or the request or the reply was no
/// value.</summary>
public sealed class ResponderFailedException : Exception
{
    /// <summary>Creates an exception.</summary>
    /// <param name="member">The member that answered.</param>
    /// <param name="error">The error, as text.</param>
    public ResponderFailedException(Member member, string error)
        : base($"'{member?.Name}' has answered with an error: {error}") => Member = member!;

    /// <summary>The member that answered.</summary>
    public Member Member { get; }
}
