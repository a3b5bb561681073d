using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The groups this node is in, and the joins and leaves in progress. A join is done when every step that admitted one
/// of its groups has settled. A leave removes its groups' sources, so that nothing is bound there after the server has
/// been asked. Core thread only.
/// </summary>
internal sealed class GroupSessions(StackParts rooms)
{
    private readonly SortedDictionary<string, LocalGroup> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<GroupId, LocalGroup> _byId = [];
    private readonly List<JoinProgress> _joins = [];
    private readonly List<LeaveProgress> _leaves = [];

    /// <summary>How many groups this node is in.</summary>
    public int Count => _byName.Count;

    /// <summary>A group by name.</summary>
    public LocalGroup? Find(string name) => _byName.GetValueOrDefault(name);

    /// <summary>Asks the server to admit this node to groups.</summary>
    public void Join(JoinRequest request, Instant now)
    {
        _joins.Add(new JoinProgress(request));
        rooms.Agent.RequestJoin(request.Names, request.Mode, now);
    }

    /// <summary>Cancels a join: groups to which it was, or will be, admitted are left again.</summary>
    public void CancelJoin(JoinRequest request, Instant now)
    {
        foreach (JoinProgress join in _joins)
        {
            if (join.Request == request && !join.IsCancelled) Abandon(join, now);
        }
        _joins.RemoveAll(static join => join.IsCancelled && join.Awaited.Count == 0);
    }

    /// <summary>Leaves groups.</summary>
    public void Leave(LeaveRequest request, Instant now)
    {
        var leave = new LeaveProgress(request);
        var ids = new List<GroupId>(request.Groups.Count);
        foreach (LocalGroup group in request.Groups)
        {
            group.IsLeaving = true;
            group.Sender.RemoveSources();
            leave.Waiting.Add(group);
            ids.Add(group.Info.Id);
        }
        _leaves.Add(leave);
        rooms.Agent.RequestLeave(ids, now);
    }

    /// <summary>Begins and ends the sessions that an installed step brings.</summary>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        foreach (GroupInfo info in step.Left) EndSession(info);
        FinishLeaves(now);
        foreach (GroupInfo info in step.Joined) BeginSession(info, step.Number, now);
        foreach (GroupInfo info in step.Changed)
        {
            if (_byId.TryGetValue(info.Id, out LocalGroup? group)) group.Listener.OnViewChanged(now);
        }
    }

    /// <summary>Every permitted sender has switched to a step.</summary>
    public void OnStepSettled(StepNumber step, Instant now)
    {
        for (int index = _joins.Count - 1; index >= 0; index--)
        {
            JoinProgress join = _joins[index];
            // The first step of a new server stands for all steps that its predecessor had no time to settle.
            join.Unsettled.RemoveAll(waiting => waiting == step || waiting.Epoch < step.Epoch);
            FinishIfDone(join, now);
        }
    }

    /// <summary>The server refused one group of a join: the whole join fails.</summary>
    public void OnRefused(string name, MembershipRefusal reason, Instant now)
    {
        foreach (JoinProgress join in _joins)
        {
            if (!join.Awaited.Remove(name)) continue;
            bool report = !join.IsCancelled;
            Abandon(join, now);
            if (report) join.Request.OnFailed(reason, name, now);
            break;
        }
        _joins.RemoveAll(static join => join.IsCancelled && join.Awaited.Count == 0);
    }

    /// <summary>Ends all sessions: the node is gone from the cluster, and no listener is called any longer.</summary>
    public void Close()
    {
        foreach (LocalGroup group in _byName.Values)
        {
            if (group.Receiver is { } receiver) rooms.Deliverer.CloseGroup(receiver);
            group.Receiver = null;
            group.IsLeaving = true;
        }
        _byName.Clear();
        _byId.Clear();
        _joins.Clear();
        _leaves.Clear();
    }

    private void BeginSession(GroupInfo info, StepNumber step, Instant now)
    {
        JoinProgress? join = null;
        foreach (JoinProgress candidate in _joins)
        {
            if (!candidate.Awaited.Remove(info.Name)) continue;
            join = candidate;
            break;
        }
        if (join is null || join.IsCancelled)
        {
            rooms.Agent.RequestLeave([info.Id], now);
            _joins.RemoveAll(static candidate => candidate.IsCancelled && candidate.Awaited.Count == 0);
            return;
        }
        var group = new LocalGroup(rooms, info, step, join.Request.ListenerFor(info));
        _byName[info.Name] = group;
        _byId[info.Id] = group;
        join.Admitted.Add(group);
        if (!join.Unsettled.Contains(step)) join.Unsettled.Add(step);
        join.Request.OnAdmitted(group, now);
    }

    private void EndSession(GroupInfo info)
    {
        if (!_byId.Remove(info.Id, out LocalGroup? group)) return;
        _byName.Remove(info.Name);
        group.IsLeaving = true;
        if (group.Receiver is { } receiver) rooms.Deliverer.CloseGroup(receiver);
        group.Receiver = null;
        rooms.Disseminator.CloseGroup(group.Sender);
        foreach (LeaveProgress leave in _leaves) leave.Waiting.Remove(group);
    }

    private void FinishLeaves(Instant now)
    {
        for (int index = _leaves.Count - 1; index >= 0; index--)
        {
            LeaveProgress leave = _leaves[index];
            if (leave.Waiting.Count > 0) continue;
            _leaves.RemoveAt(index);
            leave.Request.OnCompleted(now);
        }
    }

    private void FinishIfDone(JoinProgress join, Instant now)
    {
        if (join.IsCancelled || join.Awaited.Count > 0 || join.Unsettled.Count > 0) return;
        _joins.Remove(join);
        join.Request.OnCompleted(now);
    }

    private void Abandon(JoinProgress join, Instant now)
    {
        join.IsCancelled = true;
        if (join.Admitted.Count == 0) return;
        Leave(new SilentLeave([.. join.Admitted]), now);
        join.Admitted.Clear();
    }

    private sealed class JoinProgress(JoinRequest request)
    {
        public JoinRequest Request { get; } = request;

        public HashSet<string> Awaited { get; } = new(request.Names, StringComparer.Ordinal);

        public List<LocalGroup> Admitted { get; } = [];

        public List<StepNumber> Unsettled { get; } = [];

        public bool IsCancelled { get; set; }
    }

    private sealed class LeaveProgress(LeaveRequest request)
    {
        public LeaveRequest Request { get; } = request;

        public HashSet<LocalGroup> Waiting { get; } = [];
    }

    private sealed class SilentLeave(IReadOnlyList<LocalGroup> groups) : LeaveRequest(groups)
    {
        public override void OnCompleted(Instant now)
        {
        }
    }
}
