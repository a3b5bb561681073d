using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The targets of one group's messages in the active step: the streams into its region views that have a member other
/// than this node, and the group's index in each. Kept from step to step and rewritten in place. A group that this node
/// is not yet in has no streams, and nothing pending.
/// </summary>
internal sealed class GroupBinding(SendContext context, GroupId group)
{
    private StreamSender[] _streams = [];
    private int[] _groupIndexes = [];
    private ulong _generation;

    /// <summary>False when the active step has changed since the group was bound.</summary>
    public bool IsCurrent => _generation == context.Generation;

    /// <summary>True when messages can be bound: the group is one of this node's in the step.</summary>
    public bool IsBound { get; private set; }

    /// <summary>How many streams there are; 0 when the group has no other member.</summary>
    public int Count { get; private set; }

    /// <summary>The step that brought the group view.</summary>
    public StepNumber View { get; private set; }

    /// <summary>Members of the group view, this node included.</summary>
    public int Members { get; private set; }

    public StreamSender StreamAt(int index) => _streams[index];

    public int GroupIndexAt(int index) => _groupIndexes[index];

    /// <summary>
    /// Binds the group in the active step, or makes it wait for its step. O(regions of the group), or O(regions) while
    /// a newer step is installed.
    /// </summary>
    /// <param name="sender">The group's sender, which follows the gates of the streams.</param>
    /// <param name="now">The present instant.</param>
    public void Rebind(GroupSender sender, Instant now)
    {
        _generation = context.Generation;
        Array.Clear(_streams);
        Count = 0;
        IsBound = context.Active.Contains(group);
        if (IsBound)
        {
            OpenStreams(now);
            for (int index = 0; index < Count; index++) _streams[index].Gate.Attach(sender);
            return;
        }
        context.Settings.Probes.Hit(Mark.BindingWaitsForStep);
        context.WaitingForStep.Add(sender);
    }

    /// <summary>Counts messages as pending in every stream.</summary>
    public void AddToAccounts(int messages, long bytes)
    {
        for (int index = 0; index < Count; index++) _streams[index].Gate.Account.Add(messages, bytes);
    }

    /// <summary>Adds the views of all streams that are not in a list yet.</summary>
    public void AddViewsTo(List<RegionView> views)
    {
        for (int index = 0; index < Count; index++)
        {
            if (!views.Contains(_streams[index].View)) views.Add(_streams[index].View);
        }
    }

    /// <summary>The first stream whose region buffer has no room; null when a message can be bound.</summary>
    public StreamSender? FirstFull()
    {
        for (int index = 0; index < Count; index++)
        {
            if (_streams[index].Backlog.IsFull) return _streams[index];
        }
        return null;
    }

    /// <summary>The first stream with room where groups still wait in line; null when there is none.</summary>
    public StreamSender? FirstWithLine()
    {
        for (int index = 0; index < Count; index++)
        {
            if (!_streams[index].Backlog.IsFull && _streams[index].Backlog.Waiters.Count > 0) return _streams[index];
        }
        return null;
    }

    private void OpenStreams(Instant now)
    {
        IReadOnlyList<RegionView> views = context.Active.Of(group);
        if (_streams.Length < views.Count)
        {
            _streams = new StreamSender[views.Count];
            _groupIndexes = new int[views.Count];
        }
        Members = 0;
        View = context.Active.NumberOf(group);
        for (int index = 0; index < views.Count; index++)
        {
            RegionView view = views[index];
            Members += view.Members.Length;
            if (view.Members.Length == 1 && view.IndexOf(context.SelfKey) == 0) continue;
            _streams[Count] = context.Streams.Open(view, now);
            _groupIndexes[Count] = view.Region.IndexOf(group);
            Count++;
        }
    }
}
