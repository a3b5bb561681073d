using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What a node does that has been removed from the cluster. Its group handles have ended either way.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<EvictionPolicy>))]
public enum EvictionPolicy
{
    /// <summary>It returns as a new incarnation, under a new <see cref="QuickSilverNode.Id"/>; the application joins its groups again. At
    /// once; but removed for being out of reach again soon after, it stays away for a time that grows.</summary>
    Rejoin,

    /// <summary>It stops, and <see cref="QuickSilverNode.Completion"/> faults with the reason.</summary>
    StopNode,
}
