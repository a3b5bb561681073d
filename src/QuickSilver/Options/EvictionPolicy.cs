using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Behaviour of a node after its removal from the cluster. Its group handles end either way.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<EvictionPolicy>))]
public enum EvictionPolicy
{
    /// <summary>It rejoins as a new incarnation with a new <see cref="QuickSilverNode.Id"/>; the application must join
    /// its groups again. The first return is immediate. A node that is soon removed again for being out of reach waits
    /// first, longer each time.</summary>
    Rejoin,

    /// <summary>It stops, and <see cref="QuickSilverNode.Completion"/> faults with the reason.</summary>
    StopNode,
}
