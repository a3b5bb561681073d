using QuickSilver.Protocol.Modes;

namespace QuickSilver;

/// <summary>Every member delivers every message once, in the order of its sender; lost packets are repaired. The mode
/// of every group that says nothing else.</summary>
public sealed record ReliableMode : ModeOptions
{
    /// <summary>The mode with its defaults.</summary>
    internal static readonly ReliableMode Default = new();

    /// <summary>
    /// Whether the group has a multicast address of its own. A sender then sends one copy of each packet for all
    /// regions of the group, instead of one for each; lost packets are repaired in each region as ever. It pays where a
    /// group spans many regions. It costs each member a socket and a membership of the address, so their number is
    /// limited (<see cref="TransportOptions.MaxHybridGroups"/>), and its messages do not share packets with those of
    /// other groups. A publisher listens to nothing, and does not count for the limit. Regions that multicast does not
    /// reach, that are merged, or that read packets in shared memory, get packets of their own.
    /// The first user of the name fixes the value; another fails with <see cref="ErrorCode.GroupModeMismatch"/>.
    /// Default: false.
    /// </summary>
    public bool Hybrid { get; init; }

    /// <summary>Whether long messages that begin before the first call of <see cref="Group.ReadLongMessagesAsync"/> are
    /// kept for it, by this handle. A publisher keeps none. Default: false; they are dropped and counted.</summary>
    public bool KeepLongMessages { get; init; }

    /// <summary>Limit on the unread bytes of one long message, of this handle. Null (default):
    /// <see cref="DeliveryOptions.LongMessageMaxUnreadBytes"/>.</summary>
    public long? LongMessageMaxUnreadBytes { get; init; }

    internal override GroupMode Kind => GroupMode.Reliable;

    internal override bool IsHybrid => Hybrid;

    internal override ModeSettings? ToSettings() => null;

    private protected override void Validate(OptionErrors errors)
    {
        if (LongMessageMaxUnreadBytes is { } unread)
            errors.InRange(PathOf(nameof(LongMessageMaxUnreadBytes)), unread, 1, long.MaxValue);
    }
}
