using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Ordering;

namespace QuickSilver;

/// <summary>All members deliver all messages in one order, their own included: that of all ordered groups of the
/// cluster together. A sender's messages keep its order, and an answer never comes before what it answers. Views have a
/// place in the order, too. All nodes in such groups share one token; <see cref="QuickSilverOptions.Ordering"/> has its
/// windows. A node holds the packets of all ordered groups of the cluster until all have them, those of groups that it
/// is not in included. The options are of this node: members may differ.</summary>
public sealed record OrderedMode : ModeOptions
{
    /// <summary>When messages that this node sends are delivered. <see cref="SendOptions.Level"/> says otherwise for
    /// one message. A second handle on the same group has the first one's. Default:
    /// <see cref="OrderedLevel.Agreed"/>.</summary>
    public OrderedLevel Level { get; init; }

    internal override GroupMode Kind => GroupMode.Ordered;

    internal override ModeSettings ToSettings() => new OrderedSettings { IsSafe = Level == OrderedLevel.Safe };

    private protected override void Validate(OptionErrors errors) => errors.Defined(PathOf(nameof(Level)), Level);
}
