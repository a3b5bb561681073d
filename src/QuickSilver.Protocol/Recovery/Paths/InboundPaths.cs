using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Paths;

/// <summary>
/// Finds the nodes whose long datagrams do not arrive here, though short ones do, and reports the limit to them.
/// <para>
/// Idea: a way that drops by length loses the repair with the packet. So the way is suspicious when a packet stays
/// missing after several requests. It is also suspicious when packets come from peers only, and are longer than all
/// that come from their sender. A suspicion starts a measurement: the node is asked for fillers, datagrams of several
/// lengths by the way of its repairs. One full filler that arrives clears the way. When none does in
/// <see cref="Rounds"/> rounds, the longest that arrives is reported to the node. It packs accordingly, and sends
/// packets already packed in parts.
/// </para>
/// <para>
/// Awkward cases: loss may swallow fillers, so the longest length counts of which most arrive. A narrow way is measured
/// again after a minute, if any packet came from the node meanwhile. The pause doubles each time, up to a quarter of an
/// hour. It counts as wider only when all fillers arrive. When no filler arrives at all, the way's trouble is not
/// length: it is blocked. The node and the server are notified, and the server removes one of the two if that lasts. A
/// packet that comes by the way meanwhile proves the contrary: under overload most packets and all fillers may be lost.
/// </para>
/// Core thread only. Costs nothing per packet. Source: probing of packetization layers, RFC 4821 and RFC 8899; asking
/// from the receiver's end is new here.
/// </summary>
internal sealed class InboundPaths : IFeed
{
    /// <summary>Number of times that each length is tried.</summary>
    public const int Rounds = 3;

    private const int MostSends = 24;

    // As long as the shortest filler.
    private const int ShortestProof = 504;

    /// <summary>Time for which the finding counts that no filler arrives.</summary>
    private static readonly TimeSpan BlockedFor = TimeSpan.FromSeconds(10);

    /// <summary>Time within which a stuck packet is checked again.</summary>
    private static readonly TimeSpan StuckFor = TimeSpan.FromSeconds(3);

    private static readonly TimeSpan AskAgain = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan FillersFollow = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan FirstRetry = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan LongestRetry = TimeSpan.FromMinutes(15);

    private readonly RecoveryContext _node;
    private readonly IReadOnlyList<RegionState> _regions;
    private readonly List<InboundPath> _paths = [];
    private readonly Queue<InboundPath> _sends = new();
    private readonly Alarm _alarm;

    /// <summary>Begins with no way under suspicion.</summary>
    /// <param name="node">The node's recovery.</param>
    /// <param name="regions">The views that the node is a member of, as they come and go.</param>
    public InboundPaths(RecoveryContext node, IReadOnlyList<RegionState> regions)
    {
        _node = node;
        _regions = regions;
        _alarm = new Alarm(node.Alarms, OnAlarm);
    }

    /// <summary>The longest datagram that arrives by the narrowest way; 0 while no way is known to be narrow.</summary>
    public int Narrowest { get; private set; }

    /// <summary>Number of ways known to be narrow.</summary>
    public int NarrowCount { get; private set; }

    /// <summary>
    /// Long datagrams of a node may not arrive: its way is measured, unless that was done a short while ago.
    /// </summary>
    /// <param name="from">The node whose datagrams may not arrive.</param>
    /// <param name="isStuck">True when a packet stays missing that the node could repair.</param>
    /// <param name="now">The time of the suspicion.</param>
    /// <returns>True while it is being measured.</returns>
    public bool Suspect(NodeInfo from, bool isStuck, Instant now)
    {
        if (from.IsRemoved || from.Number.Key == _node.SelfKey) return false;
        InboundPath? path = Find(from.Number.Key);
        if (path is null)
        {
            path = new InboundPath(from) { Pause = FirstPause };
            _paths.Add(path);
        }
        if (isStuck) path.StuckAt = now;
        if (path.State != InboundPath.Phase.Idle) return true;
        if (now < path.NotBefore) return false;
        _node.Probes.Reached("a way is measured since packets stay missing or come from peers only");
        path.Begin(isRetry: false, now);
        OnAlarm(now);
        return true;
    }

    /// <summary>Takes an answer to a query.</summary>
    public RejectReason OnAnswer(in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        if (!PathAnswerBody.TryRead(body, out PathAnswerBody answer)) return RejectReason.Malformed;
        if (Find(header.Sender) is not { } path) return RejectReason.None;
        if (!path.From.MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (!path.IsOwn(answer.Nonce)) return RejectReason.None;
        if (path.State == InboundPath.Phase.Reporting)
        {
            if (answer.Longest == path.Longest) Rest(path, now);
        }
        else if (!path.IsAnswered && answer.Fillers > 0)
        {
            Span<int> lengths = stackalloc int[PathAnswerBody.MaxFillers];
            int count = answer.CopyTo(lengths);
            foreach (int length in lengths[..count]) path.OnSent(length);
            path.IsAnswered = true;
            path.DueAt = now + FillersFollow;
        }
        _alarm.SetIfEarlier(path.DueAt);
        return RejectReason.None;
    }

    /// <summary>Takes a filler.</summary>
    /// <param name="header">The filler's header.</param>
    /// <param name="body">The filler's body.</param>
    /// <param name="arrival">The filler's source and socket.</param>
    public RejectReason OnFiller(in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival)
    {
        if (!PathFillerBody.TryRead(body, out uint nonce)) return RejectReason.Malformed;
        if (Find(header.Sender) is not { State: InboundPath.Phase.Asking } path) return RejectReason.None;
        if (!path.From.MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (path.IsOwn(nonce)) path.OnFiller(header.TotalLength);
        return RejectReason.None;
    }

    /// <summary>Takes note of a packet that came by the way of a node's repairs: the way is not blocked.</summary>
    /// <param name="from">The node that sent it.</param>
    /// <param name="length">The packet's length. A short one proves nothing.</param>
    public void OnPacket(ulong from, int length)
    {
        if (_paths.Count == 0 || length < ShortestProof || Find(from) is not { } path) return;
        path.HasPacket = true;
        path.BlockedSince = Instant.Zero;
    }

    /// <summary>
    /// Adds the nodes that answer although their packets do not arrive here. To be called only while a packet is stuck:
    /// where others repair, no member is held up.
    /// </summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        foreach (InboundPath path in _paths)
        {
            if (!IsBlocked(path, now) || now - path.StuckAt > StuckFor || path.From.IsRemoved) continue;
            observed.Blocked.Add(new BlockedPath(path.From.Number.Key, now - path.BlockedSince));
        }
    }

    /// <summary>Nodes are gone from the cluster.</summary>
    public void OnNodesRemoved()
    {
        _paths.RemoveAll(static path => path.From.IsRemoved);
        CountNarrow();
    }

    public void Close()
    {
        _alarm.Cancel();
        _paths.Clear();
        _sends.Clear();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        while (_sends.TryDequeue(out InboundPath? path))
        {
            if (path.From.IsRemoved || path.State == InboundPath.Phase.Idle) continue;
            if (FindView(path.From.Number.Key) is not { } view) continue;
            bool isAsking = path.State == InboundPath.Phase.Asking;
            var query = new PathQueryBody(path.TakeNonce(), path.Longest, isAsking, isAsking && IsBlocked(path, now));
            var writer = new WireWriter(_node.Scratch.AsSpan(DatagramHeader.Length));
            query.WriteTo(ref writer);
            train = _node.Seal(_node.Header(view, DatagramKind.PathQuery), writer.Written, path.From);
            return true;
        }
        return false;
    }

    private InboundPath? Find(ulong from)
    {
        foreach (InboundPath path in _paths)
        {
            if (path.From.Number.Key == from) return path;
        }
        return null;
    }

    // A view by which the node knows this one: the node is in it too, or sends to it.
    private RegionView? FindView(ulong from)
    {
        foreach (RegionState region in _regions)
        {
            if (region.Streams.Met(from) is not null || region.View.IndexOf(from) >= 0) return region.View;
        }
        return null;
    }

    private ulong HeardFrom(ulong from)
    {
        ulong heard = 0;
        foreach (RegionState region in _regions) heard += region.Streams.Met(from)?.KnownHighest ?? 0;
        return heard;
    }

    private void OnAlarm(Instant now)
    {
        Instant next = Instant.Never;
        foreach (InboundPath path in _paths)
        {
            if (path.DueAt <= now) Advance(path, now);
            if (path.DueAt < next) next = path.DueAt;
        }
        if (next != Instant.Never) _alarm.SetIfEarlier(next);
    }

    private void Advance(InboundPath path, Instant now)
    {
        if (path.State == InboundPath.Phase.Idle)
        {
            LookAgain(path, now);
            return;
        }
        if (path is { State: InboundPath.Phase.Asking, IsAnswered: true })
        {
            path.Rounds++;
            path.IsAnswered = false;
            if (path.Rounds == Rounds || (path.HasFull && path.Longest == 0))
            {
                Conclude(path, now);
                if (path.State != InboundPath.Phase.Reporting) return;
            }
        }
        if (path.Sends >= MostSends || FindView(path.From.Number.Key) is null)
        {
            Rest(path, now);
            return;
        }
        path.DueAt = now + AskAgain;
        _sends.Enqueue(path);
        _node.Roots.Register(this, PriorityClass.Request);
    }

    private void LookAgain(InboundPath path, Instant now)
    {
        ulong heard = HeardFrom(path.From.Number.Key);
        if (path.Longest == 0) path.DueAt = Instant.Never;
        else if (heard == path.HeardThen || FindView(path.From.Number.Key) is null) path.DueAt = now + FirstRetry;
        else
        {
            path.HeardThen = heard;
            _node.Probes.Reached("a narrow way is measured again after a while");
            path.Begin(isRetry: true, now);
            Advance(path, now);
        }
    }

    private void Conclude(InboundPath path, Instant now)
    {
        // One full filler proves that the way is wide, whatever was lost before it.
        int longest = path.Longest == 0 && path.HasFull ? path.Full : path.FindLongest();
        bool isBlocked = longest == 0 && !path.HasPacket;
        NoteBlocked(path, isBlocked, now);
        if (longest == 0 && !isBlocked)
        {
            // Full buffers lose fillers as they lose packets: nothing is known of lengths.
            Rest(path, now);
            return;
        }
        if (longest == path.Full) longest = 0;
        bool isWider = longest == 0 || longest > path.Longest;
        bool isSure = path.Longest == 0 || !isWider
            || (path.IsRetry && path.HasAllOf(longest == 0 ? path.Full : longest));
        if (isBlocked || longest == path.Longest || !isSure)
        {
            if (path.Longest > 0 && !isBlocked) path.BeginReporting(now);
            else Rest(path, now);
            return;
        }
        int full = path.Full;
        path.Pause = FirstPause;
        path.Longest = longest;
        CountNarrow();
        _node.Events.OnPathFound(path.From, longest, full, now);
        path.BeginReporting(now);
    }

    private static bool IsBlocked(InboundPath path, Instant now) =>
        path.BlockedSince != Instant.Zero && now - path.BlockedAt <= BlockedFor;

    private void NoteBlocked(InboundPath path, bool isBlocked, Instant now)
    {
        bool wasBlocked = IsBlocked(path, now);
        if (!isBlocked) path.BlockedSince = Instant.Zero;
        else if (!wasBlocked) path.BlockedSince = now;
        path.BlockedAt = now;
        if (isBlocked && !wasBlocked) _node.Events.OnPathBlocked(path.From, isInbound: true, now);
    }

    // A result holds for a while, and for twice as long each time that it is confirmed.
    private void Rest(InboundPath path, Instant now)
    {
        path.State = InboundPath.Phase.Idle;
        path.HeardThen = HeardFrom(path.From.Number.Key);
        path.NotBefore = now + (path.Pause < LongestPause ? path.Pause : LongestPause);
        TimeSpan retry = path.Pause * (FirstRetry / FirstPause);
        path.DueAt = path.Longest == 0 ? Instant.Never : now + (retry < LongestRetry ? retry : LongestRetry);
        // Without an answer nothing was measured: the next attempt is soon.
        if (path.Rounds > 0 && path.BlockedSince == Instant.Zero && path.Pause < LongestRetry) path.Pause *= 2;
    }

    private void CountNarrow()
    {
        int narrowest = 0, count = 0;
        foreach (InboundPath path in _paths)
        {
            if (path.Longest == 0) continue;
            count++;
            if (narrowest == 0 || path.Longest < narrowest) narrowest = path.Longest;
        }
        Narrowest = narrowest;
        NarrowCount = count;
    }
}
