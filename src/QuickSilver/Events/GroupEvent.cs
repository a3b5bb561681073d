using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What <see cref="Group.ReadEventsAsync"/> yields: messages, and between them what happened to the group.</summary>
[JsonDerivedType(typeof(MessagesLost), nameof(MessagesLost))]
[JsonDerivedType(typeof(MessageReceived), nameof(MessageReceived))]
[JsonDerivedType(typeof(ViewChanged), nameof(ViewChanged))]
public abstract record GroupEvent
{
    private protected GroupEvent(Group group) => Group = group;

    /// <summary>The handle it came by.</summary>
    public Group Group { get; }
}
