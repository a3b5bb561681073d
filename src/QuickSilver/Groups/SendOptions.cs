using QuickSilver.Protocol.Flow;

namespace QuickSilver;

/// <summary>What a sender says of one message: <see cref="Level"/> in groups of <see cref="GroupMode.Ordered"/>, the
/// rest in groups of <see cref="GroupMode.Timed"/>. The default value says nothing.</summary>
public readonly record struct SendOptions
{
    /// <summary>How long the message is worth repairing.</summary>
    public MessageImportance Importance { get; init; }

    /// <summary>How old the message may be at delivery. Zero: the group's own limit.</summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>What the message describes: a newer message of the same sender and key supersedes it. Null:
    /// nothing.</summary>
    public ulong? Key { get; init; }

    /// <summary>When the message is delivered, in groups of <see cref="GroupMode.Ordered"/>. Null:
    /// <see cref="OrderedMode.Level"/>.</summary>
    public OrderedLevel? Level { get; init; }

    /// <summary>The mode that has what is said.</summary>
    /// <param name="mode">The mode of the group.</param>
    internal GroupMode ModeFor(GroupMode mode) =>
        Level is not null || (mode == GroupMode.Ordered && this == default) ? GroupMode.Ordered : GroupMode.Timed;

    internal MessageTraits ToTraits(string parameter)
    {
        if (!Enum.IsDefined(Importance))
            throw new ArgumentException($"Importance: {Importance} is none of MessageImportance's values", parameter);
        if (TimeToLive < TimeSpan.Zero || TimeToLive > TimeSpan.FromMinutes(1))
        {
            throw new ArgumentException(
                $"TimeToLive: {TimeToLive} is not zero or more, and at most a minute", parameter);
        }
        if (Level is { } level && !Enum.IsDefined(level))
            throw new ArgumentException($"Level: {level} is none of OrderedLevel's values", parameter);
        if (Level is not null && (this with { Level = null }) != default)
            throw new ArgumentException("Level: ordered groups have it, and none of the other options", parameter);
        return new MessageTraits((byte)Importance, TimeToLive, Key)
        {
            IsSafe = Level is null ? null : Level == OrderedLevel.Safe,
        };
    }
}
