namespace QuickSilver;

/// <summary>
/// Long messages: content of any length, written as a stream (<see cref="MessageSender.OpenWriter"/>) and read as one.
/// <para>
/// A long message travels in pieces, which are messages of the group: each member gets its bytes in order and exactly
/// once, in turn with the sender's other messages. A member that joins while it is under way sees nothing of it. Every
/// reader gets either all bytes, or an error.
/// </para>
/// </summary>
public sealed partial class Group
{
    /// <summary>
    /// Reads the long messages of all senders, each as soon as it begins, in groups of <see cref="ReliableMode"/> only.
    /// Ends once the group has been left. Several loops share the messages. Read or complete each
    /// <see cref="LongMessage.Body"/>: a message whose unread bytes exceed
    /// <see cref="DeliveryOptions.LongMessageMaxUnreadBytes"/> fails, and holds up nobody.
    /// <para>
    /// Long messages that begin after this call returns are kept for the loop, up to 1,024 that nobody has taken. Those
    /// before the first call are dropped and counted, unless the join asks for them
    /// (<see cref="ReliableMode.KeepLongMessages"/>).
    /// </para>
    /// </summary>
    /// <param name="cancellationToken">Cancels the enumeration. Nothing is lost: the next loop continues
    /// there.</param>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The group was left before the call.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group is not
    /// <see cref="GroupMode.Reliable"/>. Or the handle has ended by itself; this is the reason.</exception>
    public IAsyncEnumerable<LongMessage> ReadLongMessagesAsync(CancellationToken cancellationToken = default)
    {
        if (HasBeenLeft) ThrowIfEnded();
        Require(Joined, GroupMode.Reliable, nameof(ReadLongMessagesAsync));
        return Handle.OpenLongInbox().ReadAllAsync(cancellationToken);
    }
}
