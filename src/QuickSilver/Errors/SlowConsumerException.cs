namespace QuickSilver;

/// <summary>The application read too slowly or kept its leases: its inbox was full under
/// <see cref="OverflowPolicy.FailGroup"/>. The reader gets it after all stored messages; that of a shared inbox, as
/// <see cref="GroupCompleted.Reason"/>. Or a long message had more unread bytes than
/// <see cref="DeliveryOptions.LongMessageMaxUnreadBytes"/>: then that message alone has ended.</summary>
/// <param name="code">The cause.</param>
/// <param name="message">Readable description, with a remedy where there is one.</param>
/// <param name="inner">The exception that led to this one, if any.</param>
public sealed class SlowConsumerException(ErrorCode code, string message, Exception? inner = null)
    : QuickSilverException(code, message, inner)
{
    /// <summary>The group. The handle has left it, unless the error is of a long message.</summary>
    public string GroupName { get; init; } = "";

    /// <summary>Number of unread messages when the inbox was full; 1 for a long message.</summary>
    public long Backlog { get; init; }

    /// <summary>Bytes of undisposed leases at that time; they occupy the inbox like unread messages.</summary>
    public long LeasedBytes { get; init; }
}
