using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Figure that <see cref="QuickSilverNode.GetTopGroupsAsync"/> sorts by, largest first.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<GroupSort>))]
public enum GroupSort
{
    /// <summary><see cref="GroupStatistics.BytesReceived"/>.</summary>
    BytesReceived,

    /// <summary><see cref="GroupStatistics.BytesSent"/>.</summary>
    BytesSent,

    /// <summary><see cref="GroupStatistics.MessagesReceived"/>.</summary>
    MessagesReceived,

    /// <summary><see cref="GroupStatistics.MessagesSent"/>.</summary>
    MessagesSent,

    /// <summary><see cref="GroupStatistics.PendingBytes"/>.</summary>
    PendingBytes,

    /// <summary><see cref="GroupStatistics.InboxBytes"/>.</summary>
    InboxBytes,

    /// <summary><see cref="GroupStatistics.MessagesLost"/>.</summary>
    MessagesLost,

    /// <summary><see cref="GroupStatistics.MessagesDropped"/>.</summary>
    MessagesDropped,
}
