using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>How long a message is worth repairing, in groups of <see cref="GroupMode.Timed"/>.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<MessageImportance>))]
public enum MessageImportance
{
    /// <summary>As long as the group says.</summary>
    Normal,

    /// <summary>A tenth of it.</summary>
    Low,

    /// <summary>Three times as long; a newer message of the same key does not supersede it.</summary>
    High,
}
