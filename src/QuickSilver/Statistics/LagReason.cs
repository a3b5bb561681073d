using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Why a member is behind: the most telling finding of the last two seconds.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LagReason>))]
public enum LagReason
{
    /// <summary>The member does not answer the token of its region: it is stopped, cut off, or busy for a long
    /// time.</summary>
    Silent,

    /// <summary>The member reads its socket too slowly, or its kernel dropped unread packets: its core thread gets too
    /// little time.</summary>
    ReadingSlowly,

    /// <summary>The member reads its socket in time but lacks packets: the network loses them on the way, and they are
    /// not repaired yet.</summary>
    Losing,

    /// <summary>The member answers the token of its region, but far later than others: it stands still at times, or
    /// gets little of its processors.</summary>
    AnswersLate,

    /// <summary>By the member's own word, the application's handlers take most of the time of its core
    /// thread.</summary>
    SlowHandlers,
}
