using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>How long members of a <see cref="GroupMode.Timed"/> group wait before they ask for a packet, so that one
/// request serves all.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<TimedNakTimers>))]
[Experimental(ExperimentalOptions.Id)]
public enum TimedNakTimers
{
    /// <summary>Most members wait long, and the few that ask early are heard by the others. About two ask for a packet
    /// that 45 lack.</summary>
    Exponential,

    /// <summary>Each time up to the longest is equally likely.</summary>
    Uniform,

    /// <summary>By the distance to the sender, as in SRM.</summary>
    Distance,
}
