using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Pull;

/// <summary>
/// The roots of a node's feed trees: here registered feeds meet the sockets. At the end of each turn the roots ask the
/// feeds in the order of priority. Control goes until there is none or the budget is used, then repairs within theirs.
/// Data comes last: one train of each feed in turn, at least one train a turn.
/// <para>
/// A train that finds its socket full is kept and its feed set aside; other feeds continue, as they may use other
/// sockets. In the next turn kept control is offered first, other kept trains after all control. An alarm starts that
/// turn when nothing else does. A kept data train stays in the memory of its feed, which is not asked meanwhile. Any
/// other train is copied, because feeds may share the scratch memory of control datagrams. A train that the kernel
/// refuses is counted and dropped, like a lost one.
/// </para>
/// <para>
/// Core thread only. O(1) per train; allocates nothing in steady state.
/// </para>
/// </summary>
internal sealed class SocketRoots : IPullRoots, ISink
{
    private readonly ITransport _transport;
    private readonly BufferPool _pool;
    private readonly TrainSealer? _sealer;
    private readonly RootBudgets _budgets;
    private readonly Alarm _retry;
    private readonly PriorityMultiplexer _feeds = new();
    private readonly List<KeptTrain> _kept = [];

    /// <summary>Makes roots without feeds.</summary>
    /// <param name="transport">Sends the trains.</param>
    /// <param name="alarms">Wakes the loop for trains that found their socket full.</param>
    /// <param name="pool">Provides memory for copies of control datagrams that wait.</param>
    /// <param name="budgets">Limits of one turn; null: the defaults.</param>
    public SocketRoots(ITransport transport, AlarmQueue alarms, BufferPool pool, RootBudgets? budgets = null)
        : this(transport, alarms, pool, null, budgets)
    {
    }

    /// <summary>Makes roots that seal what they send.</summary>
    internal SocketRoots(
        ITransport transport, AlarmQueue alarms, BufferPool pool, TrainSealer? sealer, RootBudgets? budgets = null)
    {
        ArgumentNullException.ThrowIfNull(transport);
        ArgumentNullException.ThrowIfNull(pool);
        _transport = transport;
        _sealer = sealer;
        _pool = pool;
        _budgets = budgets ?? new RootBudgets();
        _retry = new Alarm(alarms, static _ => { });
    }

    /// <summary>What has been sent so far.</summary>
    public SendCounters Counters { get; } = new();

    /// <summary>Trains that wait for a full socket.</summary>
    public int Kept => _kept.Count;

    /// <inheritdoc/>
    public bool HasWork => _feeds.HasWork;

    /// <inheritdoc/>
    public void Register(IFeed feed, PriorityClass priority) => _feeds.Register(feed, priority);

    /// <inheritdoc/>
    public void DropKept(IFeed feed)
    {
        for (int index = _kept.Count - 1; index >= 0; index--)
        {
            KeptTrain kept = _kept[index];
            if (kept.Feed != feed) continue;
            _kept.RemoveAt(index);
            kept.Copy?.Release();
            _feeds.Resume(feed, kept.Priority);
        }
    }

    /// <inheritdoc/>
    public int PullAll(Instant now)
    {
        int sent = PullControl(now) + OfferKept(areControl: false);

        int repairs = _budgets.RepairDatagrams;
        sent += PullDatagrams(PriorityClass.Repair, ref repairs, now);

        int trains = Math.Max(1, _budgets.DataTrains);
        while (trains-- > 0 && _feeds.TryPull(PriorityClass.Data, now, out Train train, out IFeed feed))
        {
            sent += Offer(train, feed, PriorityClass.Data);
        }

        if (_kept.Count > 0) _retry.SetIfEarlier(now + _budgets.RetryDelay);
        else _retry.Cancel();
        return sent;
    }

    /// <inheritdoc/>
    public int PullControl(Instant now)
    {
        int control = _budgets.ControlDatagrams;
        return OfferKept(areControl: true)
            + PullDatagrams(PriorityClass.Token, ref control, now)
            + PullDatagrams(PriorityClass.Request, ref control, now);
    }

    /// <summary>Drops the trains that wait and releases their memory. Feeds are not asked any longer.</summary>
    public void Close()
    {
        foreach (KeptTrain kept in _kept) kept.Copy?.Release();
        _kept.Clear();
        _retry.Cancel();
    }

    private int PullDatagrams(PriorityClass priority, ref int budget, Instant now)
    {
        int sent = 0;
        while (budget > 0 && _feeds.TryPull(priority, now, out Train train, out IFeed feed))
        {
            budget -= train.Count;
            sent += Offer(train, feed, priority);
        }
        return sent;
    }

    private int Offer(in Train plain, IFeed feed, PriorityClass priority)
    {
        Train train = plain;
        if (_sealer is not null && !TrySeal(plain, out train)) return Count(SendOutcome.Failed, plain, priority);
        SendOutcome outcome = _transport.Send(train);
        if (outcome != SendOutcome.Busy) return Count(outcome, train, priority);
        Counters.Busy++;
        _feeds.Hold(feed, priority);
        _kept.Add(Keep(train, feed, priority));
        return 0;
    }

    // What waits for a full socket is sealed: it is not sealed again, and keeps its counters.
    private bool TrySeal(in Train plain, out Train train)
    {
        int segment = plain.SegmentBytes;
        bool isSealed = _sealer!.TrySeal(plain.Span, ref segment, out ReadOnlyMemory<byte> bytes);
        train = plain with { Bytes = bytes, SegmentBytes = segment };
        return isSealed;
    }

    // Those of control, or all others. What stays keeps its order: the list is compacted in place.
    private int OfferKept(bool areControl)
    {
        int sent = 0;
        int remaining = 0;
        for (int index = 0; index < _kept.Count; index++)
        {
            KeptTrain kept = _kept[index];
            bool isTurn = kept.Priority <= PriorityClass.Request == areControl;
            SendOutcome outcome = isTurn ? _transport.Send(kept.Train) : SendOutcome.Busy;
            if (outcome == SendOutcome.Busy)
            {
                if (isTurn) Counters.Busy++;
                _kept[remaining++] = kept;
                continue;
            }
            sent += Count(outcome, kept.Train, kept.Priority);
            kept.Copy?.Release();
            _feeds.Resume(kept.Feed, kept.Priority);
        }
        _kept.RemoveRange(remaining, _kept.Count - remaining);
        return sent;
    }

    private int Count(SendOutcome outcome, in Train train, PriorityClass priority)
    {
        if (outcome == SendOutcome.Failed)
        {
            Counters.Failed += (ulong)train.Count;
            return 0;
        }
        Counters.CountSent(priority, train.Count, train.Length);
        return train.Count;
    }

    private KeptTrain Keep(in Train train, IFeed feed, PriorityClass priority)
    {
        if (priority == PriorityClass.Data && _sealer is null) return new KeptTrain(train, feed, priority, null);
        BufferOwner owner = priority == PriorityClass.Data ? BufferOwner.Pending : BufferOwner.Control;
        Chunk copy = _pool.Rent(train.Length, owner);
        train.Span.CopyTo(copy.AsSpan(0, train.Length));
        return new KeptTrain(train with { Bytes = copy.Memory[..train.Length] }, feed, priority, copy);
    }

    private readonly record struct KeptTrain(Train Train, IFeed Feed, PriorityClass Priority, Chunk? Copy);
}
