using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>How the sending rate of a region is found.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<RateControlMode>))]
public enum RateControlMode
{
    /// <summary>It follows the intake of the region's slowest member.</summary>
    Adaptive,

    /// <summary>It stays at <see cref="RateControlOptions.InitialPacketsPerSecond"/>: the papers' way, for comparisons.</summary>
    Fixed,
}
