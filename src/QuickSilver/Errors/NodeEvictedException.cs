namespace QuickSilver;

/// <summary>The node was removed from the cluster while it was running. This ends every group handle. The message gives
/// one of these reasons: the node was silent for too long; its connection did not return; no datagrams passed between
/// it and others; it was slower than the messages came (<see cref="ErrorCode.TooSlow"/>); another process took its
/// place; its young cluster gave way to an older one.</summary>
/// <param name="code">The cause.</param>
/// <param name="message">Readable description, with a remedy where there is one.</param>
/// <param name="inner">The exception that led to this one, if any.</param>
public sealed class NodeEvictedException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner)
{
    /// <summary>Number of messages that were sent but not known to be held by every member at the removal.</summary>
    public long MessagesInDoubt { get; init; }
}
