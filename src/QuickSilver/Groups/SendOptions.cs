using QuickSilver.Protocol.Flow;

namespace QuickSilver;

/// <summary>What a sender says of one message, in groups of <see cref="GroupMode.Timed"/>. The default value says
/// nothing.</summary>
public readonly record struct SendOptions
{
    /// <summary>How long the message is worth repairing.</summary>
    public MessageImportance Importance { get; init; }

    /// <summary>How old the message may be at delivery. Zero: the group's own limit.</summary>
    public TimeSpan TimeToLive { get; init; }

    /// <summary>What the message describes: a newer message of the same sender and key supersedes it. Null:
    /// nothing.</summary>
    public ulong? Key { get; init; }

    internal MessageTraits ToTraits(string parameter)
    {
        if (!Enum.IsDefined(Importance))
            throw new ArgumentException($"Importance: {Importance} is none of MessageImportance's values", parameter);
        if (TimeToLive < TimeSpan.Zero || TimeToLive > TimeSpan.FromMinutes(1))
        {
            throw new ArgumentException(
                $"TimeToLive: {TimeToLive} is not zero or more, and at most a minute", parameter);
        }
        return new MessageTraits((byte)Importance, TimeToLive, Key);
    }
}
