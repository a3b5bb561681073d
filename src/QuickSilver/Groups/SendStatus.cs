using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What became of a <see cref="Group.TrySend"/>.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SendStatus>))]
public enum SendStatus
{
    /// <summary>The bytes are copied and admitted.</summary>
    Accepted,

    /// <summary>A limit of what may be pending is reached, or somebody waits already: nothing was sent. <see cref="Group.WaitToSendAsync"/>
    /// tells when to try again.</summary>
    Backpressured,

    /// <summary>The node is not in the group any more (it was evicted, or the membership let it go); the handle has ended or is about to.</summary>
    NotMember,

    /// <summary>Longer than <see cref="PendingOptions.MaxMessageBytes"/>: it can never be sent.</summary>
    TooLarge,

    /// <summary>The handle has been left or disposed of.</summary>
    Closed,
}
