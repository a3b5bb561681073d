using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// Finds the members that a ring cannot go on without, and that do not answer. A member that waits for another for a
/// second asks it and some others whether they hear it. It names the one it waits for, and those ask that one, too. Who
/// does not answer is told to the membership server, whose judges decide (<see cref="NodeObservations"/>). So the
/// server has a second witness, and a member that nobody answers is known from one that nobody hears.
/// <para>
/// Idea: in a ring that stands still nobody hears anything, so silence there is no evidence. A question that is
/// answered at once is. The members that only help ask nobody to help, so that a call ends with the wait.
/// </para>
/// <para>
/// Cost: nothing while the ring goes on. Then a question and an answer each half second: for each member awaited, 16 at
/// most, and eight others at who waits; for each suspect at who helps. Source: indirect probes as in SWIM (Das and
/// others, DSN 2002). Core thread only.
/// </para>
/// </summary>
internal sealed class RollCall
{
    /// <summary>How long a member is waited for before it is called.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private const int Helpers = 8;
    private const int MostCalled = 16;
    private const int LeastCalls = 2;
    // Between two calls of a member.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);

    // How long a member is called after it was last waited for.
    private static readonly TimeSpan GoodFor = TimeSpan.FromSeconds(2);

    private readonly OrderedParts _parts;
    private readonly RingFeed _feed;
    private readonly Func<Ring?> _ring;
    private readonly List<Called> _called = [];
    private readonly Alarm _again;

    /// <summary>Makes one that calls nobody.</summary>
    /// <param name="parts">What the ordered groups share.</param>
    /// <param name="feed">Sends the calls.</param>
    /// <param name="ring">The newest ring.</param>
    public RollCall(OrderedParts parts, RingFeed feed, Func<Ring?> ring)
    {
        _parts = parts;
        _feed = feed;
        _ring = ring;
        _again = new Alarm(parts.Mode.Alarms, Call);
    }

    /// <summary>This node waits for a member, and has for a while.</summary>
    public void OnAwaited(NodeInfo member, Instant now) => Note(member, isOwn: true, now);

    /// <summary>Takes a question or an answer.</summary>
    public RejectReason OnCall(in OrderedCallBody call, NodeInfo from, Instant now)
    {
        if (_ring() is not { } ring) return RejectReason.None;
        if (ring.IndexOf(from.Number.Key) < 0) return RejectReason.UnknownSender;
        if (call.IsAnswer)
        {
            _parts.Counters.CallsAnswered++;
            int place = Find(from);
            if (place >= 0) _called[place] = _called[place] with { Calls = 0 };
            return RejectReason.None;
        }
        Send(from, isAnswer: true);
        for (int index = 0; index < call.Suspects; index++)
        {
            int suspect = ring.IndexOf(call[index]);
            if (suspect >= 0 && suspect != ring.Self && ring.Members[suspect] != from)
                Note(ring.Members[suspect], isOwn: false, now);
        }
        return RejectReason.None;
    }

    /// <summary>Adds the members that have answered nothing for a while.</summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        foreach (Called called in _called)
        {
            if (called.Calls < LeastCalls || called.Member.IsRemoved || now - called.Since < Patience) continue;
            observed.Silent.Add(
                new SilentMember(called.Member.Number.Key, now - called.Since, IsOwnFinding: true));
        }
    }

    /// <summary>Calls nobody any more.</summary>
    public void Close()
    {
        _again.Cancel();
        _called.Clear();
    }

    private int Find(NodeInfo member) => _called.FindIndex(called => called.Member == member);

    private void Note(NodeInfo member, bool isOwn, Instant now)
    {
        int place = Find(member);
        if (place < 0)
        {
            if (_called.Count == MostCalled) return;
            place = _called.Count;
            _called.Add(new Called(member));
        }
        Called called = _called[place];
        _called[place] = called with { WantedAt = now, AwaitedAt = isOwn ? now : called.AwaitedAt };
        if (!_again.IsSet) _again.Set(now);
    }

    private void Call(Instant now)
    {
        _called.RemoveAll(called => called.Member.IsRemoved || now - called.WantedAt > GoodFor);
        if (_called.Count == 0 || _ring() is not { } ring) return;
        bool isWaiting = false;
        for (int index = 0; index < _called.Count; index++)
        {
            Called called = _called[index];
            isWaiting |= IsAwaited(called, now);
            _called[index] = called with { Calls = called.Calls + 1, Since = called.Calls == 0 ? now : called.Since };
            Ask(called.Member, now);
        }
        // Who waits needs to know whether it is heard itself.
        for (int step = 1; isWaiting && step <= Math.Min(Helpers, ring.Members.Length - 1); step++)
        {
            NodeInfo helper = ring.Members[(ring.Self + step) % ring.Members.Length];
            if (Find(helper) < 0) Ask(helper, now);
        }
        _again.Set(now + Pause);
    }

    private static bool IsAwaited(in Called called, Instant now) =>
        called.AwaitedAt != Instant.Zero && now - called.AwaitedAt <= GoodFor;

    private void Ask(NodeInfo member, Instant now)
    {
        _parts.Counters.Calls++;
        Span<ulong> suspects = stackalloc ulong[OrderedCallBody.MaxSuspects];
        int count = 0;
        foreach (Called called in _called)
        {
            if (count < suspects.Length && IsAwaited(called, now)) suspects[count++] = called.Member.Number.Key;
        }
        Send(member, isAnswer: false, suspects[..count]);
    }

    private void Send(NodeInfo to, bool isAnswer, scoped ReadOnlySpan<ulong> suspects = default)
    {
        Slice room = _feed.Room(OrderedCallBody.MaxLength);
        var writer = new WireWriter(room.Span[DatagramHeader.Length..]);
        if (isAnswer) OrderedCallBody.WriteAnswer(ref writer);
        else OrderedCallBody.WriteCall(ref writer, suspects);
        _feed.AddWord(DatagramKind.OrderedCall, _feed.Trim(room, writer.Written), to);
    }

    // Calls: those since the last answer. Since: the first of them. WantedAt: when somebody was last known to wait for
    // the member. AwaitedAt: when this node was.
    private readonly record struct Called(NodeInfo Member)
    {
        public int Calls { get; init; }

        public Instant Since { get; init; }

        public Instant WantedAt { get; init; }

        public Instant AwaitedAt { get; init; }
    }
}
