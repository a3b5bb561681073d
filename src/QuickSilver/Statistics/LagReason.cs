using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Why a member is behind. Of what was found in the last two seconds, the one that explains most.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LagReason>))]
public enum LagReason
{
    /// <summary>It does not answer the token of its region: it is stopped, cut off, or busy for long.</summary>
    Silent,

    /// <summary>It has not read its socket as far as it should have, or its kernel dropped what it left there: its core thread has too little time.
    /// </summary>
    ReadingSlowly,

    /// <summary>It has read its socket past packets that it does not hold: the network loses them on the way to it, and they are not repaired yet.
    /// </summary>
    Losing,
}
