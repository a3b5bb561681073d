using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The groups this node is in, and the joins and leaves in progress. A join is done when every step that admitted one
/// of its groups has settled. A leave removes its groups' sources, so that nothing is bound there after the server has
/// been asked.
/// <para>
/// The groups that this node publishes to are in another such table: to open a publisher is to join as one that
/// receives nothing, and to close it is to leave. Core thread only.
/// </para>
/// </summary>
/// <param name="rooms">The node's rooms.</param>
/// <param name="isPublishing">True for the groups that the node publishes to, false for those that it is in.</param>
internal sealed class GroupSessions(StackParts rooms, bool isPublishing)
{
    private readonly KeyedSet<string, LocalGroup> _all =
        new(static group => group.Info.Name, StringComparer.Ordinal);
    private readonly JoinsUnderWay _joins = new();
    private readonly List<JoinProgress> _settled = [];
    private readonly List<LeaveProgress> _finished = [];
    private readonly List<LocalGroup> _watching = [];

    /// <summary>True for the sessions of publishers.</summary>
    public bool IsPublishing { get; } = isPublishing;

    /// <summary>The node's rooms.</summary>
    public StackParts Rooms => rooms;

    /// <summary>How many groups this node is in, or publishes to.</summary>
    public int Count => _all.Count;

    /// <summary>A group by name.</summary>
    public LocalGroup? Find(string name) => _all.TryGet(name, out LocalGroup? group) ? group : null;

    /// <summary>True while a join is under way.</summary>
    public bool IsJoining(JoinRequest request) => _joins.Find(request) is { IsCancelled: false };

    /// <summary>True while the node is in an ordered group, or publishes to one; the ring of all of them does not
    /// count. O(groups).</summary>
    public bool HasOrdered()
    {
        foreach (LocalGroup group in _all)
        {
            if (group.Info.Mode == GroupModes.Ordered && !RingGroup.Is(group.Info.Name)) return true;
        }
        return false;
    }

    /// <summary>Asks the server to admit this node to groups.</summary>
    public void Join(JoinRequest request, Instant now)
    {
        _joins.Add(request);
        if (IsPublishing) rooms.Agent.RequestPublish(request.Names, request.ModeOf, now);
        else rooms.Agent.RequestJoin(request.Names, request.ModeOf, now);
    }

    /// <summary>Cancels a join: groups to which it was, or will be, admitted are left again.</summary>
    public void CancelJoin(JoinRequest request, Instant now)
    {
        if (_joins.Find(request) is { IsCancelled: false } join) Abandon(join, now);
    }

    /// <summary>Leaves groups.</summary>
    public void Leave(LeaveRequest request, Instant now)
    {
        var leave = new LeaveProgress(request) { Remaining = request.Groups.Count };
        var ids = new List<GroupId>(request.Groups.Count);
        foreach (LocalGroup group in request.Groups)
        {
            group.IsLeaving = true;
            group.RemoveSources();
            group.Leaves = new LeaveWait(leave, group.Leaves);
            ids.Add(group.Info.Id);
        }
        if (leave.Remaining == 0) _finished.Add(leave);
        RequestLeave(ids, now);
    }

    /// <summary>Begins and ends the sessions that an installed step brings.</summary>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        foreach (GroupInfo info in IsPublishing ? step.Ceased : step.Left) EndSession(info, now);
        FinishLeaves(now);
        IReadOnlyList<GroupInfo> begun = IsPublishing ? step.Published : step.Joined;
        _all.Expect(begun.Count);
        rooms.Disseminator.ExpectGroups(begun.Count);
        if (!IsPublishing) rooms.Deliverer.ExpectGroups(begun.Count);
        foreach (GroupInfo info in begun) BeginSession(info, step.Number, now);
        TellWatchers(step.Number, now);
    }

    /// <summary>Reports the changes of a group's view to its listener from now on, until the session ends.</summary>
    public void Watch(LocalGroup group)
    {
        if (group.WatchIndex >= 0 || group.IsOver) return;
        group.WatchIndex = _watching.Count;
        _watching.Add(group);
    }

    /// <summary>Every permitted sender has switched to a step.</summary>
    public void OnStepSettled(StepNumber step, Instant now)
    {
        _joins.Settle(step, _settled);
        foreach (JoinProgress join in _settled) _joins.Remove(join);
        _joins.Trim();
        foreach (JoinProgress join in _settled) join.Request.OnCompleted(now);
        _settled.Clear();
    }

    /// <summary>The server refused one group of a join: the whole join fails.</summary>
    public void OnRefused(string name, MembershipRefusal reason, Instant now)
    {
        if (_joins.Take(name) is not { } join) return;
        bool report = !join.IsCancelled;
        Abandon(join, now);
        if (report) join.Request.OnFailed(reason, name, now);
    }

    /// <summary>Ends all sessions: the node is gone from the cluster, and no listener is called any longer.</summary>
    public void Close(Instant now)
    {
        foreach (LocalGroup group in _all)
        {
            EndReceiving(group, now);
            group.IsLeaving = true;
        }
        _all.Clear();
        _joins.Clear();
        _finished.Clear();
        _watching.Clear();
    }

    // Groups that are joined in the step are watched as soon as they are admitted, so they are told of their first
    // view. A listener may begin to watch meanwhile.
    private void TellWatchers(StepNumber step, Instant now)
    {
        for (int index = 0; index < _watching.Count; index++)
        {
            if (_watching[index].View == step) _watching[index].Listener.OnViewChanged(now);
        }
    }

    private void Unwatch(LocalGroup group)
    {
        if (group.WatchIndex < 0) return;
        LocalGroup last = _watching[^1];
        _watching[group.WatchIndex] = last;
        last.WatchIndex = group.WatchIndex;
        _watching.RemoveAt(_watching.Count - 1);
        group.WatchIndex = -1;
    }

    private void BeginSession(GroupInfo info, StepNumber step, Instant now)
    {
        JoinProgress? join = _joins.Take(info.Name);
        if (join is null or { IsCancelled: true })
        {
            RequestLeave([info.Id], now);
            if (join is { Awaited: 0 }) _joins.Remove(join);
            return;
        }
        var group = new LocalGroup(
            this, info, step, join.Request.ListenerFor(info), join.Request.ModeSettings, now);
        _all.Add(group);
        join.Admitted.Add(group);
        _joins.AwaitStep(join, step);
        join.Request.OnAdmitted(group, now);
    }

    private void EndSession(GroupInfo info, Instant now)
    {
        if (!_all.Remove(info.Name, out LocalGroup? group)) return;
        Unwatch(group);
        group.IsLeaving = true;
        EndReceiving(group, now);
        rooms.Disseminator.CloseGroup(group.Sender, IsPublishing);
        for (LeaveWait? wait = group.Leaves; wait is not null; wait = wait.Next)
        {
            if (--wait.Leave.Remaining == 0) _finished.Add(wait.Leave);
        }
        group.Leaves = null;
    }

    private void EndReceiving(LocalGroup group, Instant now)
    {
        if (group.Mode is { } mode) rooms.Modes.Close(mode, now);
        if (group.Receiver is { } receiver) rooms.Deliverer.CloseGroup(receiver);
        group.Receiver = null;
        group.IsOver = true;
    }

    private void RequestLeave(IReadOnlyList<GroupId> groups, Instant now)
    {
        if (IsPublishing) rooms.Agent.RequestCease(groups, now);
        else rooms.Agent.RequestLeave(groups, now);
    }

    private void FinishLeaves(Instant now)
    {
        _all.Trim();
        if (_finished.Count == 0) return;
        LeaveProgress[] finished = [.. _finished];
        _finished.Clear();
        foreach (LeaveProgress leave in finished) leave.Request.OnCompleted(now);
    }

    private void Abandon(JoinProgress join, Instant now)
    {
        join.IsCancelled = true;
        if (join.Awaited == 0) _joins.Remove(join);
        if (join.Admitted.Count == 0) return;
        Leave(new SilentLeave([.. join.Admitted]), now);
        join.Admitted.Clear();
    }

    private sealed class SilentLeave(IReadOnlyList<LocalGroup> groups) : LeaveRequest(groups)
    {
        public override void OnCompleted(Instant now)
        {
        }
    }
}
