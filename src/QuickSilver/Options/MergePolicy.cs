using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What becomes of two clusters of one name whose servers learn of each other.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<MergePolicy>))]
public enum MergePolicy
{
    /// <summary>The server with fewer nodes stops, and its nodes go to the other under new ids, as after an eviction.
    /// </summary>
    SmallerIntoLarger,

    /// <summary>Both go on, and say once a minute that there is another (log record 1132).</summary>
    Never,
}
