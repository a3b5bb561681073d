using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>What delivery knows of one region view.</summary>
/// <param name="view">The view.</param>
/// <param name="byIndex">The present stays.</param>
internal sealed class ViewGroups(RegionView view, GroupReceiver?[] byIndex)
{
    private readonly List<OverLimitAllowance> _beyondCap = [];
    private readonly Dictionary<ulong, OverLimitAllowance> _beyondCapBySender = [];

    /// <summary>The view.</summary>
    public RegionView View { get; } = view;

    /// <summary>
    /// The present stay in each group of the region, null where there is none: from a group's index, as records carry it, one array access per
    /// message.
    /// </summary>
    public GroupReceiver?[] ByIndex { get; } = byIndex;

    /// <summary>What the streams' packets beyond the cap are charged.</summary>
    public long ChargeBeyondCap => _beyondCap.Sum(static stream => stream.Charge);

    /// <summary>What of a sender's stream was taken beyond the cap; null while nothing ever was.</summary>
    public OverLimitAllowance? FindBeyondCap(NodeInfo sender) => _beyondCapBySender.GetValueOrDefault(sender.Number.Key);

    /// <summary>The same, made when there is nothing.</summary>
    public OverLimitAllowance BeyondCapOf(NodeInfo sender)
    {
        if (FindBeyondCap(sender) is { } known) return known;
        var stream = new OverLimitAllowance();
        _beyondCap.Add(stream);
        _beyondCapBySender.Add(sender.Number.Key, stream);
        return stream;
    }
}
