using System.Diagnostics.CodeAnalysis;
using QuickSilver.Diagnostics;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Runtime;

/// <summary>
/// The groups of a node by name: those that it is in, and those that it publishes to. It serves the calls that concern
/// all groups at once: flushes, waits for members, views of a shared inbox, the end. <see cref="JoinsAndLeaves"/> adds
/// and removes groups. Core thread only.
/// </summary>
internal sealed class GroupDirectory(NodeCore node)
{
    private const int GroupsATurn = 512;

    private readonly KeyedSet<GroupKey, GroupCore> _groups = new(static group => group.Key);
    private readonly List<GroupCore> _waitedOn = [];
    private readonly List<CountdownFlush> _flushes = [];

    /// <summary>The groups that are joined, being joined or being left, and likewise those published to.</summary>
    public IReadOnlyList<GroupCore> Groups => _groups;

    /// <summary>The number of <see cref="Groups"/> that the node is in.</summary>
    public int Count => _groups.Count - Publishers;

    /// <summary>The number of <see cref="Groups"/> that the node publishes to.</summary>
    public int Publishers { get; private set; }

    /// <summary>Finds the record of a group, or of the permission to publish to it.</summary>
    public bool TryGet(GroupKey key, [NotNullWhen(true)] out GroupCore? group) => _groups.TryGet(key, out group);

    /// <summary>Makes room for a number of groups.</summary>
    public void Expect(int count) => _groups.Expect(count);

    /// <summary>Gives back the room that removed groups took.</summary>
    public void Trim() => _groups.Trim();

    /// <summary>Adds a group that is being joined.</summary>
    public void Add(GroupCore group)
    {
        _groups.Add(group);
        if (group.IsPublisher) Publishers++;
    }

    /// <summary>Removes a group that was left, or whose join failed.</summary>
    public bool Remove(GroupKey key, [NotNullWhen(true)] out GroupCore? group)
    {
        if (!_groups.Remove(key, out group)) return false;
        if (key.IsPublisher) Publishers--;
        return true;
    }

    /// <summary>Ends every handle, join, leave and flush, because the node left the cluster or stops.</summary>
    /// <param name="reason">The exception they fail with; null for a normal end.</param>
    public void EndAll(QuickSilverException? reason)
    {
        node.Services.CheckCoreThread();
        Exception thrown = reason ?? (Exception)new ObjectDisposedException(
            nameof(QuickSilverNode), $"The node '{node.Services.Name}' has been disposed of: start another.");
        List<GroupHandle> ended = RefuseCalls(reason);
        foreach (GroupCore group in _groups) group.CloseSends();
        node.Outboxes.DropAll(thrown);
        node.Changes.FailJoins(thrown);
        foreach (GroupCore group in _groups)
        {
            foreach (GroupHandle handle in group.Handles) handle.Finish(reason);
            group.OnGone(thrown);
        }
        if (reason is not null)
        {
            foreach (GroupHandle handle in ended) node.Services.Events.Post(new GroupEnded(handle.Name, reason));
        }
        node.Changes.FinishLeaves(reason);
        foreach (CountdownFlush flush in _flushes) flush.Fail(thrown);
        _flushes.Clear();
        _waitedOn.Clear();
        _groups.Clear();
        Publishers = 0;
        foreach (SharedInbox inbox in node.Services.Inboxes.Shared()) inbox.Close(reason);
    }

    /// <summary>Follows the views of all groups of a shared inbox, which begins with the present ones.</summary>
    /// <param name="inbox">The inbox.</param>
    /// <param name="known">Completed when the inbox has the views of all groups joined before.</param>
    public void FollowViews(SharedInbox inbox, TaskCompletionSource known) =>
        FollowViews(HandlesOf(inbox), 0, known);

    /// <summary>Begins to leave all groups of a shared inbox, for a dispose of it.</summary>
    public LeaveOperation LeaveAll(SharedInbox inbox) => LeaveOperation.Begin(
        node, Array.FindAll(HandlesOf(inbox), static handle => handle.Core!.State == GroupState.Joined));

    /// <summary>Flushes all groups; the flush fails when the node leaves the cluster.</summary>
    public void Flush(CountdownFlush flush, Instant now)
    {
        node.Services.CheckCoreThread();
        if (node.EndReason is { } end)
        {
            // No groups are left to report the messages in doubt.
            flush.Fail(end);
            return;
        }
        _flushes.RemoveAll(static one => one.Task.IsCompleted);
        _flushes.Add(flush);
        // One barrier serves all groups.
        flush.Expect();
        node.Outboxes.WhenTaken(
            later =>
            {
                foreach (LocalGroup local in JoinedGroups())
                {
                    // Nobody waits for a monitor that is slow.
                    if (StatisticsGroup.Is(local.Info.Name)) continue;
                    flush.Expect();
                    flush.Ask(local, later);
                }
                flush.Seal(later);
            },
            now);
        flush.Seal(now);
    }

    /// <summary>Counts the messages of all groups that are not known to be held by every member.</summary>
    public long CountUnconfirmed()
    {
        long count = node.Outboxes.Unsent;
        foreach (GroupCore group in _groups) count += group.Local?.PendingMessages ?? 0;
        return count;
    }

    /// <summary>Describes the members that messages of all groups wait for, for diagnostics.</summary>
    public string DescribeAwaited() => FindAwaited().Text;

    /// <summary>Finds the members that messages of all groups wait for: a text, and those that hold them up.</summary>
    public (string Text, IReadOnlyList<Member> Members) FindAwaited() => AwaitedText.Find(
        node.Stack, JoinedGroups(), _ => node.Outboxes.Unsent > 0, null, node.Services.Clock.Now);

    /// <summary>Checks a group's member waits at each step from now on.</summary>
    public void Watch(GroupCore group)
    {
        if (group.IsWaitedOn) return;
        group.IsWaitedOn = true;
        _waitedOn.Add(group);
    }

    /// <summary>Checks the member waits after this node's senders have switched to a step.</summary>
    public void OnStepActivated()
    {
        node.Services.CheckCoreThread();
        for (int index = _waitedOn.Count - 1; index >= 0; index--)
        {
            GroupCore group = _waitedOn[index];
            group.CheckMemberWaits();
            if (group.HasMemberWaits) continue;
            group.IsWaitedOn = false;
            _waitedOn[index] = _waitedOn[^1];
            _waitedOn.RemoveAt(_waitedOn.Count - 1);
        }
    }

    // Before sends are closed: a call that finds them closed asks the handle for the reason.
    private List<GroupHandle> RefuseCalls(Exception? reason)
    {
        var ended = new List<GroupHandle>();
        foreach (GroupCore group in _groups)
        {
            foreach (GroupHandle handle in group.Handles)
            {
                if (handle.RefuseCalls(reason)) ended.Add(handle);
            }
        }
        return ended;
    }

    private GroupHandle[] HandlesOf(SharedInbox inbox)
    {
        node.Services.CheckCoreThread();
        var handles = new List<GroupHandle>();
        foreach (GroupCore group in _groups)
        {
            foreach (GroupHandle handle in group.Handles)
            {
                if (handle.Settings.Inbox == inbox) handles.Add(handle);
            }
        }
        return [.. handles];
    }

    private void FollowViews(GroupHandle[] handles, int first, TaskCompletionSource known)
    {
        int end = Math.Min(first + GroupsATurn, handles.Length);
        for (int index = first; index < end; index++) handles[index].FollowViews();
        if (end == handles.Length) known.TrySetResult();
        else if (!node.Services.TryPost(_ => FollowViews(handles, end, known))) known.TrySetResult();
    }

    private IEnumerable<LocalGroup> JoinedGroups()
    {
        foreach (GroupCore group in _groups)
        {
            if (group.Local is { IsLeaving: false } local) yield return local;
        }
    }
}
