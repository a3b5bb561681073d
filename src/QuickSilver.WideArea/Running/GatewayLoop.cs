using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Wire;
using QuickSilver.Runtime;
using QuickSilver.Transport;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Running;

/// <summary>
/// The thread of a gateway: it alone touches the links, the streams and the keys. Each turn takes what came by the
/// socket, what was published, and the alarms that are due; then it sends what waits. It sleeps until something comes
/// or an alarm is due, to a millisecond: the pace of a link makes up for that much.
/// </summary>
internal sealed partial class GatewayLoop : IGatewayHost
{
    private const int DatagramsOfTurn = 256;
    private const int AlarmsOfTurn = 1024;

    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(100);

    private readonly GatewayPlan _plan;
    private readonly GroupTurns _groups;
    private readonly Dictionary<uint, SpanningGroup> _byNumber;
    private readonly GatewayFigures _figures;
    private readonly GatewayLog _log;
    private readonly MonotonicClock _clock = new();
    private readonly AlarmQueue _alarms = new();
    private readonly SleepEvent _sleep = new();
    private readonly ConcurrentQueue<IncomingBatch> _taken = new();
    private readonly GatewaySocket _socket;
    private readonly StreamInbox? _inbox;
    private readonly StreamLinks _streams;
    private readonly AddressBook _addresses;
    private readonly SocketAddress?[] _chosen;
    private readonly LinkSealer?[] _sealers;
    private readonly LinkOpener _opener;
    private readonly Gateway _gateway;
    private readonly GatewayWatch _watch;
    private readonly Thread _thread;
    private readonly byte[] _sealed = new byte[GatewaySocket.BufferBytes];
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly RejectCounters _rejects = new();
    private Instant _now;
    private Instant _lookAt;
    private bool _isFromAnother;
    private bool _takesNoMore;
    private bool _isStopping;

    /// <summary>Makes one whose thread has not begun.</summary>
    /// <param name="plan">Map and settings.</param>
    /// <param name="node">Number of this life of the gateway, above that of any that the site had before.</param>
    /// <param name="socket">Stays the caller's.</param>
    /// <param name="inbox">What connections tell; null when no link is carried by one.</param>
    /// <param name="addresses">Where neighbours are.</param>
    /// <param name="keys">Keys of the links, the one that seals first; they stay the caller's.</param>
    /// <param name="groups">Groups that span sites.</param>
    /// <param name="watch">Notes what is told of the gateway.</param>
    /// <param name="turns">Makes what it does with the groups, of its gateway.</param>
    /// <param name="figures">Counts.</param>
    /// <param name="log">The log.</param>
    public GatewayLoop(
        GatewayPlan plan, ulong node, GatewaySocket socket, StreamInbox? inbox, AddressBook addresses, LinkKey[] keys,
        SpanningGroup[] groups, GatewayWatch watch, Func<Gateway, GroupTurns> turns, GatewayFigures figures,
        GatewayLog log)
    {
        _plan = plan;
        _byNumber = groups.ToDictionary(static group => group.Number);
        _figures = figures;
        _log = log;
        _watch = watch;
        _socket = socket;
        _inbox = inbox;
        _addresses = addresses;
        _chosen = new SocketAddress?[plan.Map.Count];
        _sealers = new LinkSealer?[plan.Map.Count];
        _opener = new LinkOpener(keys, plan.Site, plan.Map.Count);
        for (int peer = 0; peer < plan.Map.Count; peer++)
        {
            if (plan.Map.NeighboursOf(plan.Site).Contains(peer)) _sealers[peer] = new LinkSealer(keys[0], plan.Site);
        }
        _streams = new StreamLinks(plan, _sealers);
        var seed = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
        _gateway = new Gateway(
            plan.Site, node, plan.Map, plan.Settings, this, _alarms, new SeededRandom(seed));
        _groups = turns(_gateway);
        _thread = new Thread(Run) { IsBackground = true, Name = "QuickSilver gateway" };
    }

    /// <summary>What is known of sites. Any thread.</summary>
    public SiteReach Reach => _groups.Reach;

    /// <summary>Completes when the thread has ended; faults when it failed.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Begins.</summary>
    public void Start() => _thread.UnsafeStart();

    /// <summary>Asks the thread to end. Any thread.</summary>
    public void RequestStop()
    {
        Volatile.Write(ref _isStopping, true);
        _sleep.Set();
    }

    /// <summary>Something waits for the loop. Any thread.</summary>
    public void Wake() => _sleep.SetIfWaiting();

    /// <summary>What other sites send from now on is not taken, so they keep it. Any thread.</summary>
    public void TakeNoMore() => Volatile.Write(ref _takesNoMore, true);

    /// <summary>A batch was published. Any thread.</summary>
    public void OnTaken(in IncomingBatch batch)
    {
        _taken.Enqueue(batch);
        Wake();
    }

    void IGatewayHost.Send(int site, ReadOnlySpan<byte> datagram)
    {
        if (_streams.Carries(site))
        {
            _streams.Send(site, datagram, !_isFromAnother && _gateway.LinkTo(site) is { State: LinkState.Up });
            return;
        }
        SocketAddress[] known = _addresses.Of(site);
        if (known.Length == 0) return;
        Span<byte> bytes = _sealed.AsSpan(0, datagram.Length + SealedLink.Overhead);
        _sealers[site]!.Seal(datagram, bytes);
        if (!_isFromAnother && _chosen[site] is { } one && _gateway.LinkTo(site) is { State: LinkState.Up })
        {
            _socket.Send(bytes, one);
            return;
        }
        // The gateway of the site that is active answers; or one has just become it, and is answered.
        foreach (SocketAddress address in known) _socket.Send(bytes, address);
    }

    bool IGatewayHost.HasRoom(int site) => !_streams.Carries(site) || _streams.HasRoom(site);

    void IGatewayHost.OnLinkFailed(int site) => _streams.Drop(site);

    void IGatewayHost.Deliver(StreamId stream, ulong number, ReadOnlySpan<byte> payload)
    {
        if (Volatile.Read(ref _takesNoMore)) return;
        if (_byNumber.TryGetValue(stream.Group, out SpanningGroup? group))
            _rejects.Count(group.OnRecord(stream, number, payload));
        else _taken.Enqueue(new IncomingBatch(stream, number, number, []));
    }

    void IGatewayHost.Lose(StreamId stream, SequenceRange numbers)
    {
        ulong count = numbers.End - numbers.Start;
        _figures.OnLost(count);
        if (!_byNumber.TryGetValue(stream.Group, out SpanningGroup? group)) return;
        group.OnLost(stream, numbers.End - 1);
        string from = _plan.Map.NameOf(stream.Site), own = _plan.Map.NameOf(_plan.Site), name = group.Name;
        _log.Post(logger => Log.RecordsLost(logger, count, name, from, own));
    }

    void IGatewayHost.Pass(StreamId stream, SequenceRange numbers)
    {
        if (_byNumber.TryGetValue(stream.Group, out SpanningGroup? group)) group.OnLost(stream, numbers.End - 1);
    }

    private void Run()
    {
        try
        {
            LinuxThread.Prepare(null);
            _now = _lookAt = _clock.Now;
            _gateway.Start(_groups.Wanted(), _now);
            while (!Volatile.Read(ref _isStopping)) Turn();
            _gateway.Stop(_now);
            _groups.TellLast();
            _watch.Look(_gateway, _rejects, _now);
            _ended.TrySetResult();
        }
        catch (Exception fault)
        {
            _log.Post(logger => Log.LoopFailed(logger, _plan.Map.NameOf(_plan.Site), fault));
            _ended.TrySetException(new QuickSilverException(
                ErrorCode.Internal, "The loop of the gateway has failed; this is a defect.", fault));
        }
        finally
        {
            _opener.Dispose();
            foreach (LinkSealer? sealer in _sealers) sealer?.Dispose();
        }
    }

    private void Turn()
    {
        _now = _clock.Now;
        for (int count = 0; count < DatagramsOfTurn && _socket.TryTake(out ReceivedDatagram? datagram); count++)
        {
            // It may have come while the one before was taken: an instant before it came would shorten a round trip.
            _now = _clock.Now;
            OnDatagram(datagram);
            _socket.Recycle(datagram);
        }
        if (_inbox is not null) TakeStreams(_inbox);
        while (_taken.TryDequeue(out IncomingBatch taken)) Acknowledge(taken);
        _now = _clock.Now;
        for (int count = 0; count < AlarmsOfTurn && _alarms.FireNext(_now); count++)
        {
        }
        _groups.Turn(_now);
        if (_now >= _lookAt)
        {
            _watch.Look(_gateway, _rejects, _now);
            _groups.Look(_now);
            _lookAt = _now + LookPause;
        }
        Sleep();
    }

    private void OnDatagram(ReceivedDatagram datagram)
    {
        RejectReason reason = _opener.TryOpen(datagram.Bytes, out int site, out Span<byte> plaintext);
        _rejects.Count(reason);
        if (reason != RejectReason.None) return;
        if (_streams.Carries(site))
        {
            // A gateway whose list of links says that UDP carries this one.
            _gateway.LinkTo(site)?.Counters.Rejects.Count(RejectReason.WrongCluster);
            return;
        }
        _isFromAnother = !datagram.Source.Equals(_chosen[site]);
        if (_gateway.OnDatagram(site, plaintext, _now) && _isFromAnother) Choose(site, datagram.Source);
        _isFromAnother = false;
    }

    // What comes by a link says where its other end is, if that is one of the addresses that were given.
    private void Choose(int site, SocketAddress source)
    {
        foreach (SocketAddress known in _addresses.Of(site))
        {
            if (source.Equals(known)) _chosen[site] = known;
        }
    }

    private void Acknowledge(in IncomingBatch batch)
    {
        if (_byNumber.TryGetValue(batch.Stream.Group, out SpanningGroup? group))
            group.OnPublished(batch.Stream, batch.Number);
        _gateway.OnTaken(batch.Stream, batch.Held, _now);
    }

    private void Sleep()
    {
        _sleep.Declare();
        Instant due = _alarms.NextDue < _lookAt ? _alarms.NextDue : _lookAt;
        TimeSpan rest = due - _clock.Now;
        bool hasReceived = _socket.HasReceived || _inbox is { HasReceived: true } || !_taken.IsEmpty;
        bool hasWork = hasReceived || _groups.HasWaiting() || Volatile.Read(ref _isStopping);
        if (hasWork || rest <= TimeSpan.Zero) _sleep.Cancel();
        else _sleep.Wait(rest);
    }
}
