using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>How a node determines its sending rate in a region.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<RateControlMode>))]
public enum RateControlMode
{
    /// <summary>The rate follows the reading speed of the region's slowest member.</summary>
    Adaptive,

    /// <summary>The rate stays at <see cref="RateControlOptions.InitialPacketsPerSecond"/>, as in the papers. For
    /// comparisons.</summary>
    Fixed,
}
