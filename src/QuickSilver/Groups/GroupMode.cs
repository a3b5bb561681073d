using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The promise a group makes; fixed by its first member and part of its views.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<GroupMode>))]
public enum GroupMode
{
    /// <summary>Every member delivers every message once, in its sender's order, repaired when packets are lost.</summary>
    Reliable,
}
