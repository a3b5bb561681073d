using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The result of a <see cref="MessageSender.TrySend(ReadOnlySpan{byte})"/>.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SendStatus>))]
public enum SendStatus
{
    /// <summary>The message is copied and admitted.</summary>
    Accepted,

    /// <summary>Nothing was sent: a limit on pending or unsent messages is reached, or other calls wait already.
    /// <see cref="MessageSender.WaitToSendAsync"/> completes when a retry is worthwhile.</summary>
    Backpressured,

    /// <summary>Nothing was sent: the node is no longer a member of the group, because it was evicted or the membership
    /// removed it. The handle has ended or is about to.</summary>
    NotMember,

    /// <summary>Nothing was sent: the message is longer than <see cref="PendingOptions.MaxMessageBytes"/> and can never
    /// be sent.</summary>
    TooLarge,

    /// <summary>Nothing was sent: the group was left, or the handle disposed of.</summary>
    Closed,
}
