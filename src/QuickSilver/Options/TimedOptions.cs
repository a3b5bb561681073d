using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Timed;

namespace QuickSilver;

/// <summary>Settings of a group of <see cref="GroupMode.Timed"/> at this node: its traffic contract. Buffers follow
/// from it and do not grow. The join copies and validates them. A second handle on the same group has the first
/// one's.</summary>
public sealed record TimedOptions
{
    /// <summary>How long a message of normal importance is worth anything: its sender keeps it so long, members ask for
    /// it, and nothing older is delivered. Low importance has a tenth, high importance three times as long. Default: 3
    /// seconds.</summary>
    public TimeSpan TimeToLive { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>Datagrams that one sender sends to the group in a second, at most. Times <see cref="TimeToLive"/>, this
    /// is how many packets a sender keeps, and a member expects of each sender: about 100 bytes each, and the bytes of
    /// the messages. Default: 400.</summary>
    public int PacketsPerSecond { get; set; } = 400;

    /// <summary>Bytes that this node sends to the group in a second, at most. Repairs have at most half of it. Default:
    /// 8 MiB.</summary>
    public long BytesPerSecond { get; set; } = 8 << 20;

    /// <summary>Messages that this node sends to the group in a second, at most; others wait with their sender, and a
    /// feed is asked when one can be sent. 0: no limit. Default: 0.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int MessagesPerSecond { get; set; }

    /// <summary>Longest message. Never more than <see cref="PendingOptions.MaxMessageBytes"/>. Default: 64
    /// KiB.</summary>
    public int MaxMessageBytes { get; set; } = 64 << 10;

    /// <summary>True: a message with a key (<see cref="SendOptions.Key"/>) replaces older ones of its sender with the
    /// key. What is missing of those is not asked for. Default: true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool Supersede { get; set; } = true;

    /// <summary>True: a message with a key is delivered when it comes, unless a newer one with its key was; it waits
    /// for no other message. Messages of different keys may overtake each other. Default: false, in the sender's
    /// order.</summary>
    public bool LatestOnly { get; set; }

    /// <summary>True: members answer requests for packets of others that they hold, when the sender does not. Default:
    /// true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool PartnerRepair { get; set; } = true;

    /// <summary>How long members wait before they ask for a packet. Default:
    /// <see cref="TimedNakTimers.Exponential"/>.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public TimedNakTimers NakTimers { get; set; } = TimedNakTimers.Exponential;

    internal void Validate(OptionErrors errors)
    {
        const string Path = "Timed.";
        errors.AtLeast(Path + nameof(TimeToLive), TimeToLive, TimeSpan.FromMilliseconds(1));
        if (TimeToLive > TimeSpan.FromMinutes(1))
            errors.Add(Path + nameof(TimeToLive), $"{TimeToLive} is more than a minute");
        errors.InRange(Path + nameof(PacketsPerSecond), PacketsPerSecond, 1, 1_000_000);
        errors.InRange(Path + nameof(BytesPerSecond), BytesPerSecond, 1_000, 1L << 40);
        errors.InRange(Path + nameof(MessagesPerSecond), MessagesPerSecond, 0, 1_000_000);
        errors.InRange(Path + nameof(MaxMessageBytes), MaxMessageBytes, 1, TimedSettings.LongestMessage);
        errors.Defined(Path + nameof(NakTimers), NakTimers);
    }

    internal TimedSettings ToSettings() => new()
    {
        TimeToLive = TimeToLive,
        PacketsPerSecond = PacketsPerSecond,
        BytesPerSecond = BytesPerSecond,
        MessagesPerSecond = MessagesPerSecond,
        MaxMessageBytes = MaxMessageBytes,
        Replaces = Supersede,
        LatestOnly = LatestOnly,
        PartnersRepair = PartnerRepair,
        NakTimers = NakTimers switch
        {
            TimedNakTimers.Uniform => Protocol.Timed.NakTimers.Uniform,
            TimedNakTimers.Distance => Protocol.Timed.NakTimers.Distance,
            _ => Protocol.Timed.NakTimers.Exponential,
        },
    };
}
