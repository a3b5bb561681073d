using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Lateral;

namespace QuickSilver;

/// <summary>Settings of a group of <see cref="GroupMode.Lateral"/> at this node. The join copies and validates them.
/// A second handle on the same group has the first one's.</summary>
public sealed record LateralOptions
{
    /// <summary>Packets that one repair combines. Fewer recover sooner and survive more loss, and cost more traffic.
    /// The lowest of the node's groups counts for all of them. Default: 8.</summary>
    public int PacketsPerRepair { get; set; } = 8;

    /// <summary>Repairs that include each packet, on average. The traffic of repairs is this number divided by
    /// <see cref="PacketsPerRepair"/>, of the traffic of data. 0 sends none: losses are then asked for. A
    /// node that sends few repairs sends up to 100 a second beyond that, so that rare messages do not wait. Default:
    /// 2.2.</summary>
    public double RepairsPerPacket { get; set; } = 2.2;

    /// <summary>Repairs that the node fills in turn for each member, from 1 to 8. A burst of losses then falls on more
    /// repairs, and each of them comes later. It pays with <see cref="LateralCoding.Xor"/>. The highest of the node's
    /// groups counts for all of them. Default: 1.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int Stagger { get; set; } = 1;

    /// <summary>How the node combines packets. Default: <see cref="LateralCoding.Field"/>.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public LateralCoding Coding { get; set; } = LateralCoding.Field;

    /// <summary>The order of delivery. Default: <see cref="LateralOrder.None"/>.</summary>
    public LateralOrder Order { get; set; } = LateralOrder.None;

    /// <summary>How long a missing message is looked for, before it is reported lost
    /// (<see cref="LossReason.DeadlinePassed"/>). Default: 10 seconds.</summary>
    public TimeSpan Deadline { get; set; } = TimeSpan.FromSeconds(10);

    internal void Validate(OptionErrors errors)
    {
        const string Path = "Lateral.";
        errors.InRange(Path + nameof(PacketsPerRepair), PacketsPerRepair, 1, 64);
        if (!(RepairsPerPacket >= 0 && RepairsPerPacket <= 64))
            errors.Add(Path + nameof(RepairsPerPacket), $"{RepairsPerPacket} is not between 0 and 64");
        errors.InRange(Path + nameof(Stagger), Stagger, 1, 8);
        errors.Defined(Path + nameof(Coding), Coding);
        errors.Defined(Path + nameof(Order), Order);
        errors.AtLeast(Path + nameof(Deadline), Deadline, TimeSpan.FromMilliseconds(1));
    }

    internal LateralSettings ToSettings() => new()
    {
        PacketsPerRepair = PacketsPerRepair,
        RepairsPerPacket = RepairsPerPacket,
        Stagger = Stagger,
        Code = Coding == LateralCoding.Xor ? LateralCode.Xor : LateralCode.Field,
        InOrder = Order == LateralOrder.PerSender,
        Deadline = Deadline,
    };
}
