using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>When a message of an ordered group is delivered. Whatever the level, all members deliver all messages in
/// one order.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<OrderedLevel>))]
public enum OrderedLevel
{
    /// <summary>When all messages before it have been delivered. A member that dies right after its delivery may be the
    /// only one that has delivered it.</summary>
    Agreed,

    /// <summary>When, besides, every node in ordered groups holds it: who delivers it knows that none of them lacks it.
    /// It takes two rounds of the token, and messages behind it wait with it.</summary>
    Safe,
}
