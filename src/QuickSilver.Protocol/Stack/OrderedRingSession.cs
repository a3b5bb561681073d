using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Ordering;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Keeps a node in the ring of the ordered groups as long as it is in one, publishes to one, or joins one: the first
/// join waits until the node is in the ring. The ring is left when nothing of this node is pending there. Core thread
/// only.
/// </summary>
/// <param name="rooms">The node's rooms.</param>
internal sealed class OrderedRingSession(StackParts rooms)
{
    // From one look whether anything is pending to the next, while the ring is to be left.
    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(50);

    private readonly List<JoinRequest> _waiting = [];
    private readonly List<JoinRequest> _joining = [];
    private readonly NoListener _listener = new();
    private LocalGroup? _session;
    private RingJoin? _join;
    private Alarm? _look;
    private bool _isIn;
    private bool _isLeaving;

    private RingSettings Settings => rooms.Ring;

    /// <summary>Joins ordered groups, or publishes to them, once the node is in the ring.</summary>
    public void Join(JoinRequest request, Instant now)
    {
        if (_isIn && !_isLeaving)
        {
            Begin(request, now);
            return;
        }
        _waiting.Add(request);
        if (_join is null && !_isLeaving) Enter(now);
    }

    /// <summary>Cancels a join that waits for the ring.</summary>
    /// <returns>False when it does not.</returns>
    public bool TryCancel(JoinRequest request) => _waiting.Remove(request);

    /// <summary>Sessions have ended, or joins: the ring is left if none of ordered groups remains.</summary>
    public void OnChanged(Instant now)
    {
        if (!_isIn || _isLeaving || _waiting.Count > 0) return;
        _joining.RemoveAll(request => !SessionsOf(request).IsJoining(request));
        if (_joining.Count > 0 || rooms.Groups.HasOrdered() || rooms.Published.HasOrdered()) return;
        if (rooms.Modes.Find(GroupModes.Ordered) is OrderedEngine { IsPending: true })
        {
            _look ??= new Alarm(rooms.Host.Alarms, OnChanged);
            _look.SetIfEarlier(now + LookPause);
            return;
        }
        _isLeaving = true;
        rooms.Groups.Leave(new RingLeave(this, _session!), now);
    }

    /// <summary>The node is gone from the cluster.</summary>
    public void Close()
    {
        _look?.Cancel();
        _waiting.Clear();
        _joining.Clear();
    }

    private void Enter(Instant now)
    {
        _join = new RingJoin(this);
        rooms.Groups.Join(_join, now);
    }

    private void Begin(JoinRequest request, Instant now)
    {
        _joining.Add(request);
        SessionsOf(request).Join(request, now);
    }

    private GroupSessions SessionsOf(JoinRequest request) => request.IsPublisher ? rooms.Published : rooms.Groups;

    private void OnEntered(Instant now)
    {
        _join = null;
        _isIn = true;
        JoinRequest[] waiting = [.. _waiting];
        _waiting.Clear();
        foreach (JoinRequest request in waiting) Begin(request, now);
        OnChanged(now);
    }

    private void OnFailed(MembershipRefusal reason, Instant now)
    {
        _join = null;
        JoinRequest[] waiting = [.. _waiting];
        _waiting.Clear();
        foreach (JoinRequest request in waiting) request.OnFailed(reason, RingGroup.Name, now);
    }

    private void OnLeft(Instant now)
    {
        _isIn = _isLeaving = false;
        _session = null;
        if (_waiting.Count > 0) Enter(now);
    }

    private sealed class RingJoin(OrderedRingSession owner)
        : JoinRequest([RingGroup.Name], GroupModes.Ordered)
    {
        public override ModeSettings? ModeSettings => owner.Settings;

        public override IGroupListener ListenerFor(GroupInfo group) => owner._listener;

        public override void OnAdmitted(LocalGroup group, Instant now) => owner._session = group;

        public override void OnCompleted(Instant now) => owner.OnEntered(now);

        public override void OnFailed(MembershipRefusal reason, string groupName, Instant now) =>
            owner.OnFailed(reason, now);
    }

    private sealed class RingLeave(OrderedRingSession owner, LocalGroup session) : LeaveRequest([session])
    {
        public override void OnCompleted(Instant now) => owner.OnLeft(now);
    }

    // No message is sent to the group.
    private sealed class NoListener : IGroupListener
    {
        public void OnMessages(NodeInfo sender, in DeliveryBatch batch, Instant now)
        {
        }

        public void OnLoss(NodeInfo sender, ulong first, ulong count, Instant now)
        {
        }

        public void OnSenderClosed(NodeInfo sender, Instant now)
        {
        }

        public void OnViewChanged(Instant now)
        {
        }

        public void OnTransition(IReadOnlyList<NodeInfo> together, Instant now)
        {
        }

        public void OnGateChanged(bool open, Instant now)
        {
        }
    }
}
