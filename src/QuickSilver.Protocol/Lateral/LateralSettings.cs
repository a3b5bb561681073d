using QuickSilver.Protocol.Modes;

namespace QuickSilver.Protocol.Lateral;

/// <summary>The settings of a lateral group at this node. Defaults are the public options' defaults.</summary>
internal sealed record LateralSettings : ModeSettings
{
    /// <summary>Packets that one repair combines: r of the paper's rate of fire. The lowest of a node's groups
    /// counts for all, as repairs mix them.</summary>
    public int PacketsPerRepair { get; init; } = 8;

    /// <summary>Repairs that include each packet, on average: c of the paper's rate of fire; 0 sends none.</summary>
    public double RepairsPerPacket { get; init; } = 2.2;

    /// <summary>Repairs that are filled in turn for each receiver of repairs. More survive longer bursts of loss, and
    /// come later. The highest of a node's groups counts for all.</summary>
    public int Stagger { get; init; } = 1;

    /// <summary>How repairs are built and coded.</summary>
    public LateralCode Code { get; init; } = LateralCode.Field;

    /// <summary>True: messages of one sender are delivered in their order, which waits no longer than the
    /// deadline.</summary>
    public bool InOrder { get; init; }

    /// <summary>How long after its discovery a missing message is asked for, before it is reported lost.</summary>
    public TimeSpan Deadline { get; init; } = TimeSpan.FromSeconds(10);
}
