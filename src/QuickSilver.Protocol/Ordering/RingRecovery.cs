using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// What happens between two rings. Members that go on report what they hold of the ring that has ended, and fetch what
/// others hold. When all hold the same they deliver it: all up to the first hole, and behind it what members that go on
/// have sent. So all that go on together have delivered the same messages, in one order, before the next ring begins.
/// <para>
/// A member goes on when it is in all later rings. A further ring that is made meanwhile makes all report once more,
/// since fewer may go on. What one member has concluded binds the others: its report says so, and which members went on
/// with it. Ended rings are kept until the token of the newest ring has come twice: then all have concluded them.
/// </para>
/// <para>
/// Source: extended virtual synchrony (Moser, Amir, Melliar-Smith, Agarwal, 1994). Membership is the server's
/// (docs/decisions/0149). Core thread only.
/// </para>
/// </summary>
internal sealed class RingRecovery
{
    private const int MostAnswers = 64;
    // The longest pause between two reports of a ring that has ended.
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(200);

    private readonly OrderedParts _parts;
    private readonly RingPacker _packer;
    private readonly RingRunner _runner;
    private readonly RingFeed _feed;
    private readonly List<EndedRing> _ended = [];
    private readonly List<SequenceRange> _missing = [];
    private readonly byte[] _map = new byte[OrderedReportBody.MaxFurther / 8];
    private readonly byte[] _survivors = new byte[OrderedReportBody.MaxMembers / 8];
    private readonly Alarm _retry;
    private TimeSpan _pause;
    private Instant _since;
    private int _asks;

    public RingRecovery(OrderedParts parts, RingPacker packer, RingRunner runner, RingFeed feed)
    {
        _parts = parts;
        _packer = packer;
        _runner = runner;
        _feed = feed;
        _retry = new Alarm(parts.Mode.Alarms, Retry);
        runner.OnAllConcluded = OnAllConcluded;
    }

    /// <summary>The rings that have ended and are kept, the oldest first.</summary>
    public IReadOnlyList<EndedRing> Ended => _ended;

    /// <summary>Called while this node waits for a member's report.</summary>
    public Action<NodeInfo, Instant> OnAwaited { get; set; } = static (_, _) => { };

    /// <summary>A step brings a new ring: the present one has ended.</summary>
    public void Enter(Ring ring, Instant now)
    {
        if (_runner.Ring is { } last) _ended.Add(new EndedRing(last));
        foreach (EndedRing ended in _ended) ended.OnNewer(ring);
        _feed.Clear();
        _runner.Enter(ring);
        _pause = _parts.Settings.Patience;
        _since = now;
        GoOn(now);
    }

    /// <summary>The ring that has ended and is worked on; null when all are concluded.</summary>
    public EndedRing? Present()
    {
        foreach (EndedRing ended in _ended)
        {
            if (!ended.Ring.IsConcluded) return ended;
        }
        return null;
    }

    /// <summary>A ring that has ended, by its name.</summary>
    public EndedRing? Find(RingId id)
    {
        foreach (EndedRing ended in _ended)
        {
            if (ended.Ring.Id == id) return ended;
        }
        return null;
    }

    /// <summary>Takes a member's report.</summary>
    public RejectReason OnReport(in OrderedReportBody report, NodeInfo from, Instant now)
    {
        // Another step is on its way to one of the two: the report comes again.
        if (_runner.Ring is not { } newest || report.Next != newest.Id) return RejectReason.None;
        if (newest.IndexOf(from.Number.Key) < 0) return RejectReason.UnknownSender;
        EndedRing? ended = Find(report.Ring);
        if (ended is null)
        {
            if (!report.IsAbsent && report.Ring < newest.Id) SendReport(report.Ring, null, from);
            return RejectReason.None;
        }
        if (ended.Ring.IsConcluded)
        {
            if (!report.IsConcluded && !report.IsAbsent) SendReport(report.Ring, ended, from);
            return RejectReason.None;
        }
        RejectReason reason = ended.Take(report, from);
        if (reason != RejectReason.None) return reason;
        if (ended == Present()) GoOn(now);
        return RejectReason.None;
    }

    /// <summary>Takes a request for packets of a ring that has ended.</summary>
    public RejectReason OnAsk(in OrderedAskBody ask, NodeInfo from, Instant now)
    {
        if (Find(ask.Ring) is not { } ended) return RejectReason.None;
        if (ended.Ring.IndexOf(from.Number.Key) < 0) return RejectReason.UnknownSender;
        int answers = 0;
        foreach (SequenceRange range in ask.Ranges)
        {
            for (ulong sequence = Math.Max(range.Start, ended.Ring.Log.Forgotten + 1);
                sequence < range.End && answers < MostAnswers;
                sequence++)
            {
                if (sequence > ended.Ring.Log.Highest) break;
                if (!ended.Ring.Log.Keeps(sequence)) continue;
                _feed.AddPacket(ended.Ring.Log[sequence], from);
                answers++;
            }
        }
        return RejectReason.None;
    }

    /// <summary>A packet of an ended ring has come that was missing.</summary>
    public void OnPacket(EndedRing ended, Instant now)
    {
        _parts.Counters.PacketsRecovered++;
        if (ended == Present() && ended.IsComplete()) GoOn(now);
    }

    /// <summary>A step is installed: packets may have waited for it.</summary>
    public void OnStep(Instant now)
    {
        if (Present() is not null) GoOn(now);
    }

    /// <summary>Forgets all rings.</summary>
    public void Close()
    {
        _retry.Cancel();
        foreach (EndedRing ended in _ended) ended.Ring.Close();
        _ended.Clear();
    }

    private void GoOn(Instant now)
    {
        while (Present() is { } ended)
        {
            if (!ended.IsReady() || ended.Ring.Delivery.AwaitsStep())
            {
                bool wasComplete = ended.SaysComplete;
                ended.SaysComplete = ended.IsComplete();
                if (!ended.HasReported || ended.SaysComplete != wasComplete) Report(ended);
                if (!_retry.IsSet)
                {
                    Ask(ended);
                    _retry.Set(now + _pause);
                }
                return;
            }
            Conclude(ended, now);
        }
        _retry.Cancel();
        if (_runner is { Ring: not null, IsRunning: false }) _runner.Start(now);
    }

    private void Conclude(EndedRing ended, Instant now)
    {
        Debug.Assert(!ended.Ring.IsConcluded, "a ring is concluded once");
        Ring ring = ended.Ring;
        ring.IsConcluded = true;
        ended.Fix();
        ring.Delivery.Conclude(ended.Survivors, ended.Stable, now);
        RingId newest = _runner.Ring!.Id;
        RingId next = newest;
        foreach (EndedRing later in _ended)
        {
            if (later.Ring.Id > ring.Id && later.Ring.Id < next) next = later.Ring.Id;
        }
        _parts.Views.Reach(next, now);
        _packer.OnConcluded(ring, ended.Survivors);
        _parts.Mode.Probes.Reached("a ring of ordered groups is concluded");
        Report(ended);
        _pause = _parts.Settings.Patience;
        _since = now;
    }

    private void OnAllConcluded(Instant now)
    {
        Debug.Assert(Present() is null, "a ring that runs has none before it to conclude");
        foreach (EndedRing ended in _ended) ended.Ring.Close();
        _ended.Clear();
        _packer.OnAllConcluded(now);
    }

    private void Retry(Instant now)
    {
        if (Present() is not { } ended) return;
        _pause = _pause * 1.5 < LongestPause ? _pause * 1.5 : LongestPause;
        ended.SaysComplete = ended.IsComplete();
        if (now - _since >= RollCall.Patience) ended.AddAwaited(member => OnAwaited(member, now));
        Report(ended);
        Ask(ended);
        _retry.Set(now + _pause);
    }

    private void Report(EndedRing ended)
    {
        ended.HasReported = true;
        SendReport(ended.Ring.Id, ended, to: null);
    }

    private void SendReport(RingId ring, EndedRing? ended, NodeInfo? to)
    {
        Slice room = _feed.Room(OrderedReportBody.MaxLength);
        var writer = new WireWriter(room.Span[DatagramHeader.Length..]);
        OrderedReportBody body = ended is null
            ? new OrderedReportBody { Ring = ring, Next = _runner.Ring!.Id, IsAbsent = true }
            : ended.Say(_runner.Ring!.Id, _map, _survivors);
        body.WriteTo(ref writer);
        _feed.AddWord(DatagramKind.OrderedReport, _feed.Trim(room, writer.Written), to);
    }

    // Another member that holds it is asked each time.
    private void Ask(EndedRing ended)
    {
        _missing.Clear();
        NodeInfo? holder = ended.FindMissing(_asks++, _missing);
        if (holder is null || _missing.Count == 0) return;
        Slice room = _feed.Room(OrderedAskBody.MaxLength);
        var writer = new WireWriter(room.Span[DatagramHeader.Length..]);
        OrderedAskBody.Write(
            ref writer, ended.Ring.Id, System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_missing));
        _feed.AddWord(DatagramKind.OrderedAsk, _feed.Trim(room, writer.Written), holder);
    }
}
