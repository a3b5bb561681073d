using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Runtime;

/// <summary>
/// The joins and leaves under way at a node. One call at a time joins or leaves a group; the others wait here, in the
/// order of their calls. Reports of the protocol are acted upon in the next turn's requests, never inside the report.
/// Core thread only.
/// </summary>
internal sealed class JoinsAndLeaves(NodeCore node)
{
    // Thousands of groups take several turns of the core thread.
    private const int GroupsATurn = 512;

    // More groups that are left at once share a layout, and making a view of each would hold the core thread up.
    private const int MostSettled = 64;

    private readonly List<JoinOperation> _waiting = [];
    private readonly HashSet<JoinOperation> _joining = [];
    private readonly HashSet<LeaveOperation> _leaving = [];

    private GroupDirectory Directory => node.Directory;

    /// <summary>Begins a join, or queues it behind the calls under way on its groups.</summary>
    public void Start(JoinOperation join, Instant now)
    {
        node.Services.CheckCoreThread();
        if (node.EndReason is { } end)
        {
            join.Fail(end);
            return;
        }
        foreach (GroupHandle handle in join.Handles)
        {
            if (!Directory.TryGet(handle.GroupKey, out GroupCore? group)) continue;
            if (group.State != GroupState.Joined)
            {
                _waiting.Add(join);
                return;
            }
            if (group.Mode == join.Mode && group.Hybrid == join.Hybrid) continue;
            join.Fail(Refusals.OfMode(handle.Name, group.Mode, group.Hybrid, join.Mode, join.IsPublisher));
            return;
        }
        if (join.Hybrid && !join.IsPublisher && FindTooMany(join) is { } tooMany)
        {
            join.Fail(tooMany);
            return;
        }
        var fresh = new List<string>();
        Directory.Expect(join.Handles.Length);
        foreach (GroupHandle handle in join.Handles)
        {
            if (!Directory.TryGet(handle.GroupKey, out GroupCore? group))
            {
                group = new GroupCore(node, handle.Name, join.Mode, join.Hybrid, handle.IsPublisher);
                Directory.Add(group);
                fresh.Add(handle.Name);
            }
            group.Attach(handle);
        }
        if (fresh.Count == 0)
        {
            join.Succeed();
            return;
        }
        _joining.Add(join);
        node.Stack.Join(new StackJoin(this, join, fresh), now);
    }

    /// <summary>Abandons a join: a queued one never begins, one under way is undone when it completes.</summary>
    public void Forget(JoinOperation join)
    {
        if (_waiting.Remove(join)) End(join);
    }

    /// <summary>Registers a leave, which first waits for the messages already sent.</summary>
    public void Begin(LeaveOperation leave) => _leaving.Add(leave);

    /// <summary>Removes handles from their groups, and the node from each group whose last handle this was.</summary>
    public void Leave(LeaveOperation leave, Instant now)
    {
        node.Services.CheckCoreThread();
        var groups = new List<GroupCore>();
        var publishers = new List<GroupCore>();
        foreach (GroupHandle handle in leave.Handles)
        {
            if (handle.Core is { State: GroupState.Joined, Local: not null, Handles.Length: 1 } last)
            {
                // The last handle receives messages until the node has left.
                (last.IsPublisher ? publishers : groups).Add(last);
                continue;
            }
            handle.Core?.Detach(handle);
            handle.Finish(null);
        }
        leave.Rounds = (groups.Count > 0 ? 1 : 0) + (publishers.Count > 0 ? 1 : 0);
        if (leave.Rounds == 0) OnLeft(leave);
        if (groups.Count > 0) Leave(groups, leave, now);
        if (publishers.Count > 0) Leave(publishers, leave, now);
    }

    /// <summary>Ends one handle at once with a reason; the last handle leaves the group.</summary>
    public void Fail(GroupHandle handle, QuickSilverException reason, Instant now)
    {
        node.Services.CheckCoreThread();
        if (!handle.TryEnd(reason)) return;
        handle.GiveUpWriters();
        handle.Finish(reason);
        node.Services.Events.Post(new GroupEnded(handle.Name, reason));
        if (handle.Core is { } group) DetachAndLeave(group, handle, now);
    }

    /// <summary>Fails every join, because the node left the cluster or stops.</summary>
    public void FailJoins(Exception reason)
    {
        foreach (JoinOperation join in _waiting) join.Fail(reason);
        foreach (JoinOperation join in _joining) join.Fail(reason);
        _waiting.Clear();
        _joining.Clear();
    }

    /// <summary>Ends every leave, because the node left the cluster or stops.</summary>
    /// <param name="reason">The exception that the handles end with; null for a normal end.</param>
    public void FinishLeaves(QuickSilverException? reason)
    {
        foreach (LeaveOperation leave in _leaving) leave.Finish(reason);
        _leaving.Clear();
    }

    // The reason to refuse a join of hybrid groups; null when there is none. A publisher listens to no address, so it
    // does not count. O(groups), and such joins are rare.
    private QuickSilverException? FindTooMany(JoinOperation join)
    {
        int count = 0;
        foreach (GroupCore group in Directory.Groups)
        {
            if (group is { Hybrid: true, IsPublisher: false }) count++;
        }
        foreach (GroupHandle handle in join.Handles)
        {
            if (!Directory.TryGet(handle.GroupKey, out _)) count++;
        }
        int most = node.Services.Options.Transport.MaxHybridGroups;
        if (count <= most) return null;
        return new QuickSilverException(
            ErrorCode.TooManyHybridGroups,
            $"With the join of {join.Names} this node would be in {count} hybrid groups, and "
            + $"Transport.MaxHybridGroups is {most}. Leave some, join without ReliableMode.Hybrid, or raise the limit "
            + "if the network card filters that many addresses.");
    }

    private static void End(JoinOperation join)
    {
        foreach (GroupHandle handle in join.Handles) handle.Finish(null);
    }

    private void OnAdmitted(JoinOperation join, LocalGroup local, Instant now)
    {
        join.OnAdmitted();
        if (Directory.TryGet(KeyOf(local), out GroupCore? group)) group.OnAdmitted(local, now);
    }

    // Thousands of groups take several turns. Until the last is joined the call is under way: others wait for it.
    private void OnJoined(JoinOperation join, List<string> fresh, int first, Instant now)
    {
        if (!_joining.Contains(join)) return;
        int end = Math.Min(first + GroupsATurn, fresh.Count);
        for (int index = first; index < end; index++)
        {
            if (!Directory.TryGet(new GroupKey(fresh[index], join.IsPublisher), out GroupCore? group)) continue;
            group.State = GroupState.Joined;
            LeaveIfUnused(group, now);
            node.Services.Log.Post((group.Key, Members: group.CountMembers()), static (logger, s) =>
            {
                if (s.Key.IsPublisher) Log.PublisherOpened(logger, s.Key.Name, s.Members);
                else Log.Joined(logger, s.Key.Name, s.Members);
            });
        }
        if (end < fresh.Count)
        {
            Post(later => OnJoined(join, fresh, end, later));
            return;
        }
        _joining.Remove(join);
        if (!join.IsOver) join.Succeed();
        else Undo(join, now);
        StartWaiting(now);
    }

    private void OnJoinFailed(
        JoinOperation join, List<string> fresh, MembershipRefusal refusal, string groupName, Instant now)
    {
        if (!_joining.Remove(join)) return;
        QuickSilverException reason = Refusals.OfJoin(refusal, groupName, join.Mode, join.IsPublisher);
        foreach (string name in fresh)
        {
            if (!Directory.Remove(new GroupKey(name, join.IsPublisher), out GroupCore? group)) continue;
            foreach (GroupHandle handle in group.Handles) handle.Finish(reason);
            Forget(group, reason);
        }
        Undo(join, now);
        join.Fail(reason);
        StartWaiting(now);
    }

    private void Undo(JoinOperation join, Instant now)
    {
        End(join);
        foreach (GroupHandle handle in join.Handles)
        {
            if (handle.Core is { State: GroupState.Joined } group) DetachAndLeave(group, handle, now);
        }
    }

    private void DetachAndLeave(GroupCore group, GroupHandle handle, Instant now)
    {
        group.Detach(handle);
        LeaveIfUnused(group, now);
    }

    private void LeaveIfUnused(GroupCore group, Instant now)
    {
        if (group.Handles.Length > 0 || group.State != GroupState.Joined || group.Local is null) return;
        Leave([group], null, now);
    }

    // The protocol leaves the groups once it has taken all their messages.
    private void Leave(List<GroupCore> groups, LeaveOperation? leave, Instant now)
    {
        NodeStack stack = node.Stack;
        var request = new StackLeave(this, leave, [.. groups.Select(static group => group.Local!)]);
        int remaining = groups.Count;
        foreach (GroupCore group in groups)
        {
            group.OnLeaving(
                later =>
                {
                    if (--remaining == 0) stack.Leave(request, later);
                },
                now);
        }
    }

    private void OnLeft(StackLeave done, int first, Instant now)
    {
        int end = Math.Min(first + GroupsATurn, done.Groups.Count);
        for (int index = first; index < end; index++)
        {
            LocalGroup local = done.Groups[index];
            if (!Directory.TryGet(KeyOf(local), out GroupCore? group) || group.Local != local) continue;
            Directory.Remove(group.Key, out _);
            foreach (GroupHandle handle in group.Handles) handle.Finish(null);
            Forget(group, group.LeftReason());
            // What is made is less than what it is made from.
            if (done.Groups.Count <= MostSettled) group.SettleView(Directory.Groups.Count / done.Groups.Count);
            node.Services.Log.Post(group.Key, static (logger, key) =>
            {
                if (key.IsPublisher) Log.PublisherClosed(logger, key.Name);
                else Log.Left(logger, key.Name);
            });
        }
        if (end < done.Groups.Count)
        {
            Post(later => OnLeft(done, end, later));
            return;
        }
        if (done.Leave is { } leave && --leave.Rounds == 0) OnLeft(leave);
        StartWaiting(now);
        Directory.Trim();
    }

    private void Forget(GroupCore group, Exception reason)
    {
        // Without waits it is taken off the list of those waited on at the next step.
        group.OnGone(reason);
    }

    private void OnLeft(LeaveOperation leave)
    {
        _leaving.Remove(leave);
        leave.Finish(null);
    }

    private void StartWaiting(Instant now)
    {
        if (_waiting.Count == 0) return;
        JoinOperation[] waiting = [.. _waiting];
        _waiting.Clear();
        foreach (JoinOperation join in waiting)
        {
            if (join.IsOver) End(join);
            else Start(join, now);
        }
    }

    private static GroupKey KeyOf(LocalGroup local) => new(local.Info.Name, local.IsPublisher);

    private void Post(Action<Instant> action) => node.Services.TryPost(action);

    private sealed class StackJoin(
        JoinsAndLeaves changes, JoinOperation join, List<string> fresh)
        : JoinRequest(
            fresh,
            join.Hybrid ? GroupModes.Hybrid : (byte)join.Mode,
            join.IsPublisher)
    {
        public override ModeSettings? ModeSettings => join.ModeSettings;

        public override IGroupListener ListenerFor(GroupInfo group) =>
            changes.Directory.TryGet(new GroupKey(group.Name, IsPublisher), out GroupCore? core)
                ? core
                : throw new KeyNotFoundException($"Nobody joins '{group.Name}'.");

        public override void OnAdmitted(LocalGroup group, Instant now) => changes.OnAdmitted(join, group, now);

        public override void OnCompleted(Instant now) =>
            changes.Post(later => changes.OnJoined(join, fresh, 0, later));

        public override void OnFailed(MembershipRefusal reason, string groupName, Instant now) =>
            changes.Post(later => changes.OnJoinFailed(join, fresh, reason, groupName, later));
    }

    private sealed class StackLeave(
        JoinsAndLeaves changes, LeaveOperation? leave, IReadOnlyList<LocalGroup> groups)
        : LeaveRequest(groups)
    {
        public LeaveOperation? Leave { get; } = leave;

        public override void OnCompleted(Instant now) => changes.Post(later => changes.OnLeft(this, 0, later));
    }
}
