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
}
