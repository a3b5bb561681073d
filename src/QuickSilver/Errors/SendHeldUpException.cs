namespace QuickSilver;

/// <summary>A send, or the wait for a confirmation, has waited for <see cref="PendingOptions.NoServerTimeout"/> while
/// nobody could remove the members that it waits for. <see cref="ErrorCode.SendHeldUp"/>: the message is not accepted,
/// and nothing of it is sent. <see cref="ErrorCode.ConfirmationHeldUp"/>: the messages are sent, and go on by
/// themselves. The handle stays as it is.</summary>
/// <param name="code">The cause.</param>
/// <param name="message">Readable description, with a remedy where there is one.</param>
/// <param name="inner">The exception that led to this one, if any.</param>
public sealed class SendHeldUpException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner)
{
    /// <summary>The group; empty for a flush of all groups.</summary>
    public string GroupName { get; init; } = "";

    /// <summary>The members that are behind or do not answer; where none is known to be, all that are not known to hold
    /// everything that this node has sent.</summary>
    public IReadOnlyList<Member> Members { get; init; } = [];

    /// <summary><see cref="NodeState.MembershipLost"/> when no membership server serves,
    /// <see cref="NodeState.WaitingForMajority"/> when the server removes nobody.</summary>
    public NodeState State { get; init; }
}
