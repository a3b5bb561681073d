using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>How a node combines packets into repairs, in groups of <see cref="GroupMode.Lateral"/>. Nodes with
/// different codings repair each other.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LateralCoding>))]
[Experimental(ExperimentalOptions.Id)]
public enum LateralCoding
{
    /// <summary>Coefficients in a field of 256 elements: any repairs that are independent recover as many packets as
    /// there are of them.</summary>
    Field,

    /// <summary>Exclusive or, as in the paper on Ricochet.</summary>
    Xor,
}
