using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// Ends calls that wait for members while nobody can remove a member: no membership server serves, or the server waits
/// for a majority. What was accepted goes on by itself later.
/// <para>
/// Idea: the core looks at its outboxes once in a while, and only while nobody serves. Sends stand at a gate that is
/// shut and takes nothing between two looks. Calls that have waited there for
/// <see cref="PendingOptions.NoServerTimeout"/> end with a <see cref="SendHeldUpException"/>. So do waits for
/// confirmations, of which the messages are sent.
/// </para>
/// <para>
/// A server that comes back needs <see cref="MembershipOptions.FailureTimeout"/> to find who is gone. A shorter return
/// is therefore no end of the time that counts, and ends no call either.
/// </para>
/// Core thread only. Costs nothing while a server serves.
/// </summary>
internal sealed class UnservedSends
{
    private const int LooksInLimit = 8;
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestSilence = TimeSpan.FromSeconds(5);

    private readonly NodeCore _node;
    private readonly Alarm _alarm;
    private readonly TimeSpan _limit;
    private readonly TimeSpan _timeToRemove;
    private readonly TimeSpan _pause;
    private readonly List<(string Group, CountdownFlush Flush)> _flushes = [];
    private MembershipHold? _hold;
    private bool _isConnected = true;
    private Instant _changed;
    private Instant? _since;
    private Instant? _said;
    private long _ended;

    /// <summary>Creates it for a node that a server serves.</summary>
    /// <param name="node">The node.</param>
    public UnservedSends(NodeCore node)
    {
        _node = node;
        _alarm = new Alarm(node.Alarms, Look);
        QuickSilverOptions options = node.Services.Options;
        _limit = options.Pending.NoServerTimeout;
        TimeSpan failure = options.Membership.FailureTimeout;
        _timeToRemove = failure == Timeout.InfiniteTimeSpan ? LongestSilence : failure;
        _pause = EndsCalls && _limit / LooksInLimit < LongestPause ? _limit / LooksInLimit : LongestPause;
    }

    private bool EndsCalls => _limit != Timeout.InfiniteTimeSpan;

    private bool IsServed => _isConnected && _hold is null;

    /// <summary>Notes that the node has a membership server, or has none any more.</summary>
    public void OnConnectionChanged(bool connected, Instant now)
    {
        _isConnected = connected;
        _hold = null;
        OnChanged(now);
    }

    /// <summary>Notes that a hold of the membership server has begun or ended.</summary>
    public void OnHold(MembershipHold hold, Instant now)
    {
        _hold = hold.Reason == HoldReason.None ? null : hold;
        OnChanged(now);
    }

    /// <summary>Ends the wait of a flush, too.</summary>
    /// <param name="group">The group; empty for all.</param>
    /// <param name="flush">The flush.</param>
    public void Follow(string group, CountdownFlush flush)
    {
        if (!EndsCalls) return;
        if (_flushes.Count == _flushes.Capacity) _flushes.RemoveAll(static one => one.Flush.Task.IsCompleted);
        _flushes.Add((group, flush));
    }

    private void OnChanged(Instant now)
    {
        _node.Services.CheckCoreThread();
        _changed = now;
        if (IsServed) return;
        _since ??= now;
        _alarm.SetIfEarlier(now + _pause);
    }

    private void Look(Instant now)
    {
        bool mayEnd = EndsCalls && !IsServed;
        var text = new Lazy<Facts>(() => Find(now));
        Instant? standing = null;
        foreach (Outbox outbox in _node.Outboxes.All)
        {
            if (outbox.Gate.LookWhetherStanding(now) is not { } stands) continue;
            Instant from = Later(stands, _since ?? now);
            if (standing is null || from < standing) standing = from;
            if (!mayEnd) continue;
            _ended += outbox.Gate.EndWaits(from, _limit, owner => NotAccepted((GroupHandle)owner, text.Value), now);
            foreach ((GroupCore group, ConfirmTicket ticket) in outbox.FindTickets()) End(group, ticket, text, now);
        }
        if (mayEnd) EndConfirmations(text, now);
        Say(standing, text, now);
        if (IsServed && now - _changed >= _timeToRemove) _since = null;
        if (_since is not null || _said is not null) _alarm.Set(now + _pause);
    }

    private void EndConfirmations(Lazy<Facts> text, Instant now)
    {
        foreach (GroupCore group in _node.Directory.Groups)
        {
            foreach (ConfirmTicket ticket in group.Unconfirmed) End(group, ticket, text, now);
        }
        foreach ((string group, CountdownFlush flush) in _flushes)
        {
            if (flush.Task.IsCompleted || !IsOver(flush.Seen ??= now, now)) continue;
            _ended++;
            flush.Fail(Unconfirmed(group, text.Value));
        }
        _flushes.RemoveAll(static one => one.Flush.Task.IsCompleted);
    }

    private void End(GroupCore group, ConfirmTicket ticket, Lazy<Facts> text, Instant now)
    {
        if (ticket.Task.IsCompleted || !IsOver(ticket.Started, now)) return;
        _ended++;
        ticket.Fail(Unconfirmed(group.Name, text.Value));
    }

    private bool IsOver(Instant begun, Instant now) => _since is { } since && now - Later(begun, since) >= _limit;

    private void Say(Instant? standing, Lazy<Facts> text, Instant now)
    {
        NodeServices services = _node.Services;
        if (_said is { } said)
        {
            if (standing is not null) return;
            _said = null;
            services.Log.Post(
                (services.Name, Time: now - said, Ended: _ended),
                static (logger, s) => Log.SendsResumed(logger, s.Name, s.Time, s.Ended));
            services.Events.Post(new SendsResumed(now - said, _ended));
            _ended = 0;
            return;
        }
        TimeSpan silence = EndsCalls && _limit < LongestSilence ? _limit : LongestSilence;
        if (IsServed || standing is not { } from || now - from < silence) return;
        _said = from;
        services.Log.Post(
            (services.Name, text.Value.Reason, text.Value.Awaited),
            static (logger, s) => Log.SendsHeldUp(logger, s.Name, s.Reason, s.Awaited));
        services.Events.Post(new SendsHeldUp(text.Value.Members, text.Value.Reason));
    }

    private Facts Find(Instant now)
    {
        (string awaited, IReadOnlyList<Member> members) = _node.Directory.FindAwaited();
        string reason = IsServed ? "a server has come just now"
            : _isConnected ? $"the membership server removes nobody and waits: {_hold}"
            : _node.DescribeMembership();
        return new Facts(awaited, members, reason);
    }

    private SendHeldUpException NotAccepted(GroupHandle handle, Facts facts) => Make(
        ErrorCode.SendHeldUp, handle.Name, facts,
        $"The send to '{handle.Name}' has waited for room for {_limit} (Pending.NoServerTimeout), and is not accepted",
        "What was accepted goes on by itself when there is a server that can remove them. Then send this again.");

    private SendHeldUpException Unconfirmed(string group, Facts facts) => Make(
        ErrorCode.ConfirmationHeldUp, group, facts,
        $"Messages to {(group.Length > 0 ? $"'{group}'" : "groups")} have waited for confirmations for {_limit} "
        + "(Pending.NoServerTimeout)",
        "They are sent, and go on by themselves. Whether others hold them is not known.");

    private SendHeldUpException Make(ErrorCode code, string group, Facts facts, string what, string next) => new(
        code, $"{what}. It waits for {facts.Awaited}. Nobody can remove members now: {facts.Reason}. {next}")
    {
        GroupName = group,
        Members = facts.Members,
        State = _isConnected ? NodeState.WaitingForMajority : NodeState.MembershipLost,
    };

    private static Instant Later(Instant one, Instant other) => one > other ? one : other;

    private sealed record Facts(string Awaited, IReadOnlyList<Member> Members, string Reason);
}
