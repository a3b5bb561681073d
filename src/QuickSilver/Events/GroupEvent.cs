using System.Text;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>An element of <see cref="Group.ReadEventsAsync"/> and <see cref="Inbox.ReadEventsAsync"/>: a message, a
/// loss of messages, or a change of the view; in a shared inbox also the end of a group.</summary>
[JsonDerivedType(typeof(GroupCompleted), nameof(GroupCompleted))]
[JsonDerivedType(typeof(MessagesLost), nameof(MessagesLost))]
[JsonDerivedType(typeof(MessageReceived), nameof(MessageReceived))]
[JsonDerivedType(typeof(ViewChanged), nameof(ViewChanged))]
public abstract record GroupEvent
{
    private protected GroupEvent(Group group) => Group = group;

    /// <summary>The handle that received the event.</summary>
    [JsonIgnore]
    public Group Group { get; }

    /// <summary>Name of the group.</summary>
    public string GroupName => Group.Name;

    /// <summary>Writes the members of the record's text: the handle's text names the group already.</summary>
    protected virtual bool PrintMembers(StringBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Append(nameof(Group)).Append(" = ").Append(Group);
        return true;
    }
}
