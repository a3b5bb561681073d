using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Flow;

/// <summary>
/// What a sender says of one message, for modes that use it. The default value says nothing.
/// </summary>
/// <param name="Importance">How long the message is worth repairing: 0 as usual, 1 shorter, 2 longer.</param>
/// <param name="TimeToLive">How old the message may be at delivery; zero: the group's own limit.</param>
/// <param name="Key">What the message describes: a newer message of the same key supersedes it. Null: nothing.</param>
internal readonly record struct MessageTraits(byte Importance, TimeSpan TimeToLive, ulong? Key)
{
    /// <summary>When the application gave the message; zero: it is young when it is taken.</summary>
    public Instant Given { get; init; }

    /// <summary>Whether all members hold the message before any delivers it; null: as the group says.</summary>
    public bool? IsSafe { get; init; }

    /// <summary>True for the default value.</summary>
    public bool IsNone => Importance == 0 && TimeToLive == TimeSpan.Zero && Key is null && IsSafe is null;
}
