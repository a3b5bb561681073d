using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// A lane for the messages of many groups that go to the same regions, from one source.
/// <para>
/// Idea: with thousands of groups, what a message costs is the memory it touches. Here the messages of all groups lie
/// with one source, and one signal, one gate and one turn serve them all; a group adds only its numbers. The first
/// message in a step decides which way the lane goes. A group that goes another way is diverted to another lane, before
/// its message is taken. So the lane never waits for one group alone; groups that wait for a step have a lane of their
/// own.
/// </para>
/// <para>
/// The lane of a source that keeps the order among groups diverts none. It waits with a group that waits for a step,
/// and with a message to several groups until all of them can be sent to.
/// </para>
/// <para>
/// Cost: O(1) a message, and the computation of a group's route at its first message in a step. Core thread only.
/// Source: the first paper's group senders hand to region senders (section 2.1); one source for the groups of a region
/// is ours.
/// </para>
/// </summary>
internal sealed class SharedLane : SendLane
{
    private readonly ILaneSource _source;
    private Route? _claimed;
    private bool _isReady;

    internal SharedLane(RouteTable routes, ILaneSource source)
        : base(routes) => _source = source;

    /// <summary>The source of the messages.</summary>
    public ILaneSource Source => _source;

    /// <inheritdoc/>
    internal override bool AnyReady => _isReady;

    /// <summary>Marks the source as having messages: it is asked until it has none.</summary>
    public void Signal(Instant now)
    {
        _isReady = true;
        Routes.Loop.Enter();
        Schedule();
        Routes.Loop.Leave(now);
    }

    /// <summary>Ends the lane: the source is not asked again.</summary>
    public void Close()
    {
        _isReady = false;
        if (_claimed?.Lane == this) _claimed.Lane = null;
    }

    /// <inheritdoc/>
    internal override GroupSender? Next(Instant now)
    {
        while (_isReady)
        {
            if (_source.FindNext(now) is not { } group)
            {
                _isReady = false;
                return null;
            }
            Route? route = group.RouteNow(now);
            if (_source.KeepsOrder) return NextInOrder(group, route, now);
            if (route is not null && route == Route) return group;
            if (route is null && _source.IsWaiting)
            {
                WaitForStep();
                return null;
            }
            if (route is not null && !IsCurrent)
            {
                Take(route);
                Claim(route);
                return group;
            }
            Routes.Context.Settings.Probes.Reached("a group goes another way than the lane of its message");
            if (_source.Divert(group, (SharedLane?)route?.Lane, waits: route is null, now) is not { } other)
            {
                _isReady = false;
                return null;
            }
            // At once: the next groups that go this way are diverted before the other lane has its turn.
            if (route is not null) other.Claim(route);
        }
        return null;
    }

    /// <inheritdoc/>
    internal override bool? HasAlike => _source.HasAlike;

    /// <inheritdoc/>
    internal override IReadOnlyList<GroupSender> Others => _source.Others;

    /// <inheritdoc/>
    internal override bool TryPull(GroupSender group)
    {
        if (!_isReady || !HasRoom) return false;
        MessageWriter writer = Routes.Own.Writer;
        _isReady = false;
        if (_source.Write(group, writer)) _isReady = true;
        else writer.Discard();
        return writer.HasMessage || writer.Followers > 0;
    }

    private GroupSender? NextInOrder(GroupSender group, Route? route, Instant now)
    {
        bool isBound = route is not null;
        IReadOnlyList<GroupSender> others = _source.Others;
        for (int index = 0; index < others.Count && isBound; index++) isBound = others[index].RouteNow(now) is not null;
        if (!isBound)
        {
            WaitForStep();
            return null;
        }
        Debug.Assert(route!.Outlet is not null, "only the groups of an outlet have an order among them");
        if (!IsCurrent) Take(route);
        return group;
    }

    // Other groups that go this way come to this lane.
    private void Claim(Route route)
    {
        if (_source.IsWaiting || route.Lane is not null) return;
        route.Lane = this;
        _claimed = route;
    }

    /// <inheritdoc/>
    private protected override void OnGateChanged(bool open, Instant now) => _source.OnGateChanged(open, now);
}
