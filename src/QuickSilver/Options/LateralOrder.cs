using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The order of delivery in groups of <see cref="GroupMode.Lateral"/>.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LateralOrder>))]
public enum LateralOrder
{
    /// <summary>Each message is delivered when it arrives or is recovered.</summary>
    None,

    /// <summary>Messages of one sender are delivered in the order of their sends. A missing message delays those behind
    /// it, at most for <see cref="LateralOptions.Deadline"/>; then it is skipped and reported.</summary>
    PerSender,
}
