using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The delivery guarantee of a group. The first member fixes it, and it is part of the group's
/// views.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<GroupMode>))]
public enum GroupMode
{
    /// <summary>Every member delivers every message once, in the order of its sender. Lost packets are
    /// repaired.</summary>
    Reliable,

    /// <summary>Every member delivers every message at most once and as soon as it arrives, in any order. Members
    /// repair each other at once, with combinations of packets of all groups that they share.</summary>
    Lateral,

    /// <summary>Every member delivers messages in the order of their sender, and skips what is older than its time. A
    /// sender keeps a short history, from which members ask for what they miss.</summary>
    Timed,

    /// <summary>All members deliver all messages of all ordered groups in one order. Lost packets are repaired.
    /// </summary>
    Ordered = 4,
}
