using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Modes;

namespace QuickSilver;

/// <summary>Every member delivers every message at most once and as soon as it arrives. Members repair each other at
/// once, with combinations of packets of all groups that they share. The options are of this node: members may differ.
/// A second handle on the same group has the first one's.</summary>
public sealed record LateralMode : ModeOptions
{
    /// <summary>Packets that one repair combines. Fewer recover sooner and survive more loss, and cost more traffic.
    /// The lowest of the node's groups counts for all of them. Default: 8.</summary>
    public int PacketsPerRepair { get; init; } = 8;

    /// <summary>Repairs that include each packet, on average. The traffic of repairs is this number divided by
    /// <see cref="PacketsPerRepair"/>, of the traffic of data. 0 sends none: losses are then asked for. A
    /// node that sends few repairs sends up to 100 a second beyond that, so that rare messages do not wait. Default:
    /// 2.2.</summary>
    public double RepairsPerPacket { get; init; } = 2.2;

    /// <summary>Repairs that the node fills in turn for each member, from 1 to 8. A burst of losses then falls on more
    /// repairs, and each of them comes later. It pays with <see cref="Xor"/>. The highest of the node's
    /// groups counts for all of them. Default: 1.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int Stagger { get; init; } = 1;

    /// <summary>How the node combines packets. True: by exclusive or, as in the paper on Ricochet. False: with
    /// coefficients in a field of 256 elements, so that any repairs that are independent recover as many packets as
    /// there are of them. Nodes that differ repair each other. Default: false.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool Xor { get; init; }

    /// <summary>True: messages of one sender are delivered in the order of their sends. A missing message delays those
    /// behind it, at most for <see cref="Deadline"/>; then it is skipped and reported. Default: false; each message is
    /// delivered when it arrives or is recovered.</summary>
    public bool InOrder { get; init; }

    /// <summary>How long a missing message is looked for, before it is reported lost
    /// (<see cref="LossReason.DeadlinePassed"/>). Default: 10 seconds.</summary>
    public TimeSpan Deadline { get; init; } = TimeSpan.FromSeconds(10);

    internal override GroupMode Kind => GroupMode.Lateral;

    internal override ModeSettings ToSettings() => new LateralSettings
    {
        PacketsPerRepair = PacketsPerRepair,
        RepairsPerPacket = RepairsPerPacket,
        Stagger = Stagger,
        Code = Xor ? LateralCode.Xor : LateralCode.Field,
        InOrder = InOrder,
        Deadline = Deadline,
    };

    private protected override void Validate(OptionErrors errors)
    {
        errors.InRange(PathOf(nameof(PacketsPerRepair)), PacketsPerRepair, 1, 64);
        if (!(RepairsPerPacket >= 0 && RepairsPerPacket <= 64))
            errors.Add(PathOf(nameof(RepairsPerPacket)), $"{RepairsPerPacket} is not between 0 and 64");
        errors.InRange(PathOf(nameof(Stagger)), Stagger, 1, 8);
        errors.AtLeast(PathOf(nameof(Deadline)), Deadline, TimeSpan.FromMilliseconds(1));
    }
}
