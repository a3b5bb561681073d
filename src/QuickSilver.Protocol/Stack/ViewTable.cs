using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The region views this node is a member of, present and draining: each with its receiving channel, those of its
/// hybrid groups, and its recovery. Core thread only.
/// </summary>
internal sealed class ViewTable(StackParts rooms)
{
    private const int RememberedRetirements = 256;

    private readonly List<OpenView> _views = [];
    private readonly Queue<(uint Tag, uint Counter)> _retired = new();
    private readonly List<GroupInfo> _hybrids = [];

    /// <summary>Opens the views of an installed step.</summary>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        foreach (GroupInfo left in step.Left) _hybrids.RemoveAll(group => group.Id == left.Id);
        foreach (GroupInfo joined in step.Joined)
        {
            if (!joined.Address.IsNone) _hybrids.Add(joined);
        }
        foreach (RegionView view in step.Opened)
        {
            // A view that this node knew before may begin again for it: its ring still exists.
            if (view.IndexOf(rooms.SelfKey) < 0 || FindRegion(view) is not null) continue;
            IRegionChannel? channel = view.Multicast.IsNone
                ? null
                : rooms.Host.Transport.Open(view.Multicast, receive: true);
            IRegionChannel[] hybrids = OpenHybrids();
            _views.Add(new OpenView(view, channel, hybrids, rooms.Recoverer.Open(view, channel, hybrids)));
        }
    }

    /// <summary>The recovery of a view; null when this node is no member of it.</summary>
    public RegionRecovery? FindRegion(RegionView view)
    {
        foreach (OpenView open in _views)
        {
            if (open.View == view) return open.Region;
        }
        return null;
    }

    /// <summary>
    /// True for a view that has retired lately: late copies of its packets do not belong to a future view.
    /// </summary>
    public bool HasRetired(uint tag, uint counter) => _retired.Contains((tag, counter));

    /// <summary>Closes a retired view: every member has every packet.</summary>
    public void OnViewRetired(RegionView view, Instant now)
    {
        if (_retired.Count == RememberedRetirements) _retired.Dequeue();
        _retired.Enqueue((view.Number.Tag, view.Number.Counter));
        int index = _views.FindIndex(open => open.View == view);
        if (index < 0) return;
        OpenView open = _views[index];
        _views.RemoveAt(index);
        Close(open, now);
    }

    /// <summary>Closes all views' channels; their recovery ends with the node's.</summary>
    public void Close()
    {
        foreach (OpenView open in _views) CloseChannel(open);
        _views.Clear();
    }

    private void Close(OpenView open, Instant now)
    {
        rooms.Recoverer.Close(open.Region, now);
        CloseChannel(open);
    }

    private void CloseChannel(OpenView open)
    {
        if (open.Channel is not null) rooms.Host.Transport.Close(open.Channel, receive: true);
        foreach (IRegionChannel hybrid in open.Hybrids) rooms.Host.Transport.Close(hybrid, receive: true);
    }

    // The groups of this node's region are its own. Senders of the view may use their addresses until it retires. An
    // address that cannot be opened leaves its packets to recovery.
    private IRegionChannel[] OpenHybrids()
    {
        if (_hybrids.Count == 0) return [];
        var channels = new List<IRegionChannel>(_hybrids.Count);
        foreach (GroupInfo group in _hybrids)
        {
            if (rooms.Host.Transport.Open(group.Address, receive: true) is { } channel) channels.Add(channel);
        }
        return [.. channels];
    }

    private readonly record struct OpenView(
        RegionView View, IRegionChannel? Channel, IRegionChannel[] Hybrids, RegionRecovery Region);
}
