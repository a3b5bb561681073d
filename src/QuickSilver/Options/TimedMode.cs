using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Timed;

namespace QuickSilver;

/// <summary>Every member delivers messages in the order of their sender, and skips what is older than its time. A
/// sender keeps a short history, from which members ask for what they miss. The options are this node's contract of
/// traffic: buffers follow from it and do not grow. A second handle on the same group has the first one's.</summary>
public sealed record TimedMode : ModeOptions
{
    /// <summary>How long a message of normal importance is worth anything: its sender keeps it so long, members ask for
    /// it, and nothing older is delivered. Low importance has a tenth, high importance three times as long. Default: 3
    /// seconds.</summary>
    public TimeSpan TimeToLive { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>Datagrams that one sender sends to the group in a second, at most. Times <see cref="TimeToLive"/>, this
    /// is how many packets a sender keeps, and a member expects of each sender: about 100 bytes each, and the bytes of
    /// the messages. Default: 400.</summary>
    public int PacketsPerSecond { get; init; } = 400;

    /// <summary>Bytes that this node sends to the group in a second, at most. Repairs have at most half of it. Default:
    /// 8 MiB.</summary>
    public long BytesPerSecond { get; init; } = 8 << 20;

    /// <summary>Messages that this node sends to the group in a second, at most; others wait with their sender, and a
    /// feed is asked when one can be sent. 0: no limit. Default: 0.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int MessagesPerSecond { get; init; }

    /// <summary>Longest message. Never more than <see cref="PendingOptions.MaxMessageBytes"/>. Default: 64
    /// KiB.</summary>
    public int MaxMessageBytes { get; init; } = 64 << 10;

    /// <summary>True: a message with a key (<see cref="SendOptions.Key"/>) replaces older ones of its sender with the
    /// key. What is missing of those is not asked for. Default: true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool Supersede { get; init; } = true;

    /// <summary>True: a message with a key is delivered when it comes, unless a newer one with its key was; it waits
    /// for no other message. Messages of different keys may overtake each other. Default: false, in the sender's
    /// order.</summary>
    public bool LatestOnly { get; init; }

    /// <summary>True: members answer requests for packets of others that they hold, when the sender does not. Default:
    /// true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool PartnerRepair { get; init; } = true;

    internal override GroupMode Kind => GroupMode.Timed;

    internal override int LongestMessage => MaxMessageBytes;

    internal override ModeSettings ToSettings() => new TimedSettings
    {
        TimeToLive = TimeToLive,
        PacketsPerSecond = PacketsPerSecond,
        BytesPerSecond = BytesPerSecond,
        MessagesPerSecond = MessagesPerSecond,
        MaxMessageBytes = MaxMessageBytes,
        Replaces = Supersede,
        LatestOnly = LatestOnly,
        PartnersRepair = PartnerRepair,
    };

    private protected override void Validate(OptionErrors errors)
    {
        errors.AtLeast(PathOf(nameof(TimeToLive)), TimeToLive, TimeSpan.FromMilliseconds(1));
        if (TimeToLive > TimeSpan.FromMinutes(1))
            errors.Add(PathOf(nameof(TimeToLive)), $"{TimeToLive} is more than a minute");
        errors.InRange(PathOf(nameof(PacketsPerSecond)), PacketsPerSecond, 1, 1_000_000);
        errors.InRange(PathOf(nameof(BytesPerSecond)), BytesPerSecond, 1_000, 1L << 40);
        errors.InRange(PathOf(nameof(MessagesPerSecond)), MessagesPerSecond, 0, 1_000_000);
        errors.InRange(PathOf(nameof(MaxMessageBytes)), MaxMessageBytes, 1, TimedSettings.LongestMessage);
    }
}
