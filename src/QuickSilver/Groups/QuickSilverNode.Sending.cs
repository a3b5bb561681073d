namespace QuickSilver;

/// <summary>Messages to several groups.</summary>
public sealed partial class QuickSilverNode
{
    /// <summary>Sends one message to several ordered groups at one place of the order of all ordered groups. A member
    /// of some of them delivers it once in each of these, one after the other: no other message of an ordered group
    /// comes between, and it has all of them or none. Completes as soon as the message is admitted to all groups; until
    /// then it is in none. From any thread.
    /// <para>
    /// The bytes travel once. The node's own messages to ordered groups keep the order of their calls, this one
    /// included. It is safe if one of the groups' handles promises it (<see cref="OrderedMode.Level"/>). It waits
    /// until the node may send to all of the groups, and the node's later messages to ordered groups wait behind it.
    /// Allocates an array of the handles a call, 40 bytes for two groups and 8 for each further one, and nothing else
    /// in steady state.
    /// </para>
    /// Source: multi-group multicast of Spread (Amir, Stanton). Deviation: a member of two of the groups delivers the
    /// message in each of its handles.
    /// </summary>
    /// <param name="groups">Handles of this node on ordered groups: members' or publishers', 1 to 16, each of another
    /// group. Read before the call returns.</param>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <param name="options">Its <see cref="SendOptions.Level"/>, which holds in all groups.</param>
    /// <param name="cancellationToken">Cancels the wait for admission; the message is then sent to no group. An
    /// admitted message is sent in any case.</param>
    /// <exception cref="ArgumentException">There is no group, more than 16, the same one twice, or one of another
    /// node. Or an option is invalid.</exception>
    /// <exception cref="PayloadTooLargeException">The message is longer than
    /// <see cref="PendingOptions.MaxMessageBytes"/>.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message is not sent.</exception>
    /// <exception cref="SendHeldUpException">The call has waited for <see cref="PendingOptions.NoServerTimeout"/> while
    /// no membership server could remove the members that it waits for; the message is not sent.</exception>
    /// <exception cref="ObjectDisposedException">A handle has been left, closed or disposed of.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: a group is not of
    /// <see cref="GroupMode.Ordered"/>. Or a handle has ended by itself; this is the reason.</exception>
    /// <exception cref="InvalidOperationException">The call is on the core thread (in an inline handler or a feed) and
    /// would have to wait.</exception>
    public ValueTask SendToGroupsAsync(
        IReadOnlyList<MessageSender> groups, ReadOnlyMemory<byte> payload, SendOptions options = default,
        CancellationToken cancellationToken = default) =>
        MessageSender.SendTogetherAsync(this, groups, payload.Span, options, cancellationToken);
}
