using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// One end of a link between two gateways (Hop): reliable, unordered, over datagrams that may be lost.
/// <para>
/// Idea: a packet is handed on as soon as it comes, whatever is missing before it; order is the business of those who
/// deliver. The receiver asks for what is missing, and the sender keeps what is not acknowledged. So a loss delays
/// the lost packet alone, and costs one round trip of one link. Parity spares that, where the sender adds it.
/// </para>
/// <para>
/// Rule: each end draws an epoch for each connection. A datagram counts only if it names this end's epoch, so nothing
/// of an earlier life, and nothing of a stranger, changes a state. A hello that does not is answered with one, so the
/// other end learns the epoch. The link is up after six hellos in a row that name it.
/// </para>
/// <para>
/// Awkward cases: the other end may be up a hello earlier, so a packet of the epoch that connects brings the link up. A
/// hello that names this end's epoch from a new one of the other means that it began again: the link has failed.
/// Several gateways of a site take over from each other: the one with the higher node number is followed, and an older
/// one that goes on is not heard. The last packets of a stream have no packet after them that would show their loss:
/// the sender says where it ends.
/// </para>
/// <para>
/// Cost: two datagrams for three packets at most, while packets flow. Core thread only. Source: third paper, section
/// 3.2; its times are those of Spines (docs/decisions/0150).
/// </para>
/// </summary>
internal sealed class Link
{
    private readonly LinkIdentity _identity;
    private readonly LinkSettings _settings;
    private readonly ILinkHost _host;
    private readonly SeededRandom _random;
    private readonly Alarm _alarm;
    private readonly LinkHellos _hellos;
    private readonly LinkRoundTrip _roundTrip;
    private readonly LinkReceiver _receiver;
    private readonly LinkSender _sender;
    private readonly byte[] _buffer;
    private ulong _own;
    private ulong _peer;
    private ulong _peerNode;
    private Instant _restUntil;
    private bool _isPumping;

    /// <summary>Makes a link that is down.</summary>
    /// <param name="identity">Who speaks here, and who must there.</param>
    /// <param name="settings">Times and limits.</param>
    /// <param name="host">Sends datagrams, and takes records.</param>
    /// <param name="alarms">Fires the link's alarm.</param>
    /// <param name="random">Draws epochs.</param>
    public Link(
        LinkIdentity identity, LinkSettings settings, ILinkHost host, AlarmQueue alarms, SeededRandom random)
    {
        _identity = identity;
        _settings = settings;
        _host = host;
        _random = random;
        _alarm = new Alarm(alarms, OnAlarm);
        _roundTrip = new LinkRoundTrip(settings.InitialRoundTrip);
        _hellos = new LinkHellos(identity, settings, _roundTrip);
        _receiver = new LinkReceiver(settings, _roundTrip, Counters);
        _sender = new LinkSender(settings, _roundTrip, Counters);
        _buffer = new byte[LinkHeader.Length + LinkDataBody.Overhead(LinkFeedback.MaxRanges) + settings.MaxRecord];
    }

    /// <summary>Index of the site at the other end.</summary>
    public int PeerSite => _identity.PeerSite;

    /// <summary>Its state.</summary>
    public LinkState State { get; private set; }

    /// <summary>Why it failed last.</summary>
    public LinkFailure LastFailure { get; private set; }

    /// <summary>Its round trip.</summary>
    public LinkRoundTrip RoundTrip => _roundTrip;

    /// <summary>How fast it sends.</summary>
    public Regulator Regulator => _sender.Regulator;

    /// <summary>What it has done.</summary>
    public LinkCounters Counters { get; } = new();

    /// <summary>Records that wait to be sent.</summary>
    public int Waiting => _sender.Waiting;

    /// <summary>Packets sent and not acknowledged.</summary>
    public int Open => _sender.Open;

    /// <summary>Numbers that are missing here.</summary>
    public int Holes => _receiver.Holes;

    /// <summary>Begins to connect.</summary>
    public void Start(Instant now)
    {
        Debug.Assert(State == LinkState.Down, "a link starts once, until it is stopped");
        Connect(now);
        SetAlarm(now);
    }

    /// <summary>Ends the link; what is open is forgotten.</summary>
    public void Stop(Instant now)
    {
        if (State == LinkState.Up) Fail(LinkFailure.Closed, now);
        State = LinkState.Down;
        _alarm.Cancel();
    }

    /// <summary>Takes a record. It leaves when its turn comes, with the next link number.</summary>
    public void Offer(LinkItem item, Instant now)
    {
        Debug.Assert(State == LinkState.Up, "records are offered to links that are up");
        Debug.Assert(item.Length > 0 && item.Length <= _settings.MaxRecord, "a record fits a datagram");
        _sender.Offer(item);
        Pump(now);
        SetAlarm(now);
    }

    /// <summary>The carrier takes more again.</summary>
    public void OnRoom(Instant now)
    {
        Pump(now);
        SetAlarm(now);
    }

    /// <summary>The connection that carries the link has ended (<see cref="LinkSettings.IsStream"/>): what it had under
    /// way may be lost.</summary>
    public void OnDisconnected(Instant now)
    {
        if (State != LinkState.Up) return;
        Fail(LinkFailure.Disconnected, now);
        SetAlarm(now);
    }

    /// <summary>A datagram has come. One that is malformed, or from no end of this link, is counted and dropped.
    /// </summary>
    /// <returns>True when it is of the connection that the link has or makes.</returns>
    public bool OnDatagram(ReadOnlySpan<byte> datagram, Instant now)
    {
        if (State is LinkState.Down or LinkState.Failed) return false;
        RejectReason reason = LinkHeader.TryRead(datagram, out LinkHeader header);
        if (reason == RejectReason.None)
        {
            ReadOnlySpan<byte> body = datagram[LinkHeader.Length..];
            reason = header.Kind == LinkKind.Hello ? OnHello(header, body, now) : OnPacket(header, body, now);
        }
        Counters.Rejects.Count(reason);
        Pump(now);
        SetAlarm(now);
        return reason == RejectReason.None && _peer != 0 && header.Own == _peer;
    }

    private RejectReason OnHello(in LinkHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        if (!HelloBody.TryRead(body, out HelloBody hello)) return RejectReason.Malformed;
        bool tells = State == LinkState.Up && header.Peer == _own && header.Own == _peer;
        if (hello.Configuration != _identity.Configuration) return RejectReason.WrongCluster;
        if (hello.Site != _identity.PeerSite) return RejectReason.UnknownSender;
        if (hello.Node < _peerNode) return RejectReason.RemovedSender;
        if (header.Peer != _own)
        {
            if (_hellos.MayAnswer(now)) SendHello(header.Own, now);
            return header.Peer == 0 ? RejectReason.None : RejectReason.UnknownView;
        }
        if (tells && hello.Rebuilt > _sender.Highest) return RejectReason.NeverSent;
        // It names this end's epoch, so it is no hello of an earlier time.
        _peerNode = hello.Node;
        if (_peer != 0 && header.Own != _peer)
        {
            if (State == LinkState.Up)
            {
                Fail(LinkFailure.EpochChanged, now);
                return RejectReason.None;
            }
            _hellos.Begin(now);
        }
        _peer = header.Own;
        if (_hellos.OnHello(hello, now) && tells) _sender.OnRebuilt(hello.Rebuilt);
        if (State == LinkState.Connecting && _hellos.HaveConnected) ComeUp(now);
        return RejectReason.None;
    }

    private RejectReason OnPacket(in LinkHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        if (header.Peer != _own || header.Own != _peer) return RejectReason.UnknownView;
        RejectReason reason = header.Kind switch
        {
            LinkKind.Data => OnData(body, now),
            LinkKind.Linger => OnLinger(body, now),
            LinkKind.Parity => OnParity(body, now),
            _ => OnAck(body, now),
        };
        if (reason == RejectReason.None && State == LinkState.Up) _hellos.OnSign(now);
        return reason;
    }

    private RejectReason OnData(ReadOnlySpan<byte> body, Instant now)
    {
        if (!LinkDataBody.TryRead(body, out LinkDataBody data)) return RejectReason.Malformed;
        if (State != LinkState.Up) ComeUp(now);
        if (!_sender.OnFeedback(data.Feedback, now)) return RejectReason.NeverSent;
        if (!_receiver.Accept(data.Number, data.Record, now)) return RejectReason.None;
        bool isRead = _host.OnRecord(this, data.Record, now);
        Rebuild(data.Number, now);
        return isRead ? RejectReason.None : RejectReason.Malformed;
    }

    private RejectReason OnParity(ReadOnlySpan<byte> body, Instant now)
    {
        if (!ParityBody.TryRead(body, out ParityBody parity)) return RejectReason.Malformed;
        if (State != LinkState.Up) ComeUp(now);
        if (_receiver.AcceptParity(parity, now)) Rebuild(parity.First, now);
        return RejectReason.None;
    }

    // What came last may be what a set needed.
    private void Rebuild(ulong number, Instant now)
    {
        while (State == LinkState.Up && _receiver.TryRebuild(number, out ReadOnlySpan<byte> record, now))
        {
            if (!_host.OnRecord(this, record, now)) Counters.Rejects.Count(RejectReason.Malformed);
        }
    }

    private RejectReason OnLinger(ReadOnlySpan<byte> body, Instant now)
    {
        if (!LingerBody.TryRead(body, out LingerBody linger)) return RejectReason.Malformed;
        if (State != LinkState.Up) ComeUp(now);
        if (!_sender.OnFeedback(linger.Feedback, now)) return RejectReason.NeverSent;
        _receiver.Linger(linger.Highest, now);
        return RejectReason.None;
    }

    private RejectReason OnAck(ReadOnlySpan<byte> body, Instant now)
    {
        if (!LinkFeedback.TryRead(body, out LinkFeedback feedback)) return RejectReason.Malformed;
        return _sender.OnFeedback(feedback, now) ? RejectReason.None : RejectReason.NeverSent;
    }

    private void Connect(Instant now)
    {
        State = LinkState.Connecting;
        do _own = _random.NextUInt64();
        while (_own == 0);
        _peer = 0;
        _receiver.Reset(now);
        _hellos.Begin(now);
        SendHello(_peer, now);
    }

    private void ComeUp(Instant now)
    {
        Debug.Assert(_peer != 0, "a link comes up with an epoch that has proven itself");
        State = LinkState.Up;
        _sender.Reset(_hellos.PeerWindow, now);
        _hellos.OnSign(now);
        Counters.Ups++;
        _host.OnUp(this, now);
    }

    private void Fail(LinkFailure failure, Instant now)
    {
        State = LinkState.Failed;
        LastFailure = failure;
        _peer = 0;
        _restUntil = now + _settings.FailedRest;
        Counters.Failures++;
        _host.OnFailed(this, failure, _sender.TakeAll(), now);
    }

    private void OnAlarm(Instant now)
    {
        switch (State)
        {
            case LinkState.Failed when now >= _restUntil:
                Connect(now);
                break;
            case LinkState.Connecting or LinkState.Up:
                OnTime(now);
                break;
        }
        SetAlarm(now);
    }

    private void OnTime(Instant now)
    {
        if (_hellos.Due <= now) SendHello(_peer, now);
        if (State != LinkState.Up) return;
        if (_hellos.AreMissed(now))
        {
            Fail(LinkFailure.Silence, now);
            return;
        }
        if (_receiver.HasFailed(now))
        {
            Fail(LinkFailure.PacketNeverCame, now);
            return;
        }
        if (_sender.LingerDue <= now) SendLinger(now);
        Pump(now);
    }

    // Packets as long as they may leave, then feedback that found none to ride on.
    private void Pump(Instant now)
    {
        if (State != LinkState.Up || _isPumping) return;
        _isPumping = true;
        while (_host.HasRoom(this))
        {
            if (_sender.IsParityDue(now)) SendParity(now);
            else if (_sender.TakeNext(now, out LinkItem item) is > 0 and ulong number) SendData(number, item, now);
            else break;
        }
        if (_receiver.NextDue <= now && _host.HasRoom(this)) SendAck(now);
        _isPumping = false;
    }

    private void SetAlarm(Instant now)
    {
        Instant due = State switch
        {
            LinkState.Failed => _restUntil,
            LinkState.Down => Instant.Never,
            _ => _hellos.Due,
        };
        if (State == LinkState.Up)
        {
            due = Min(Min(due, _hellos.MissedAt), _sender.LingerDue);
            // What waits for room goes with the room.
            if (_host.HasRoom(this)) due = Min(Min(due, _receiver.NextDue), _sender.NextSend(now));
        }
        if (due == Instant.Never) _alarm.Cancel();
        else if (!_alarm.IsSet || _alarm.Due != due) _alarm.Set(due);
    }

    private void SendHello(ulong peer, Instant now)
    {
        var writer = new WireWriter(_buffer);
        new LinkHeader(LinkKind.Hello, _own, peer).Write(ref writer);
        bool isKnown = peer == _peer;
        HelloBody hello = _hellos.Next(isKnown, now) with { Rebuilt = isKnown ? _receiver.Unasked : 0 };
        hello.Write(ref writer);
        _host.Send(this, _buffer.AsSpan(0, writer.Written));
    }

    private void SendData(ulong number, in LinkItem item, Instant now)
    {
        WireWriter writer = Begin(LinkKind.Data);
        _receiver.WriteFeedback(ref writer, now);
        writer.WriteVarint(number);
        writer.WriteBytes(item.Head.Span);
        writer.WriteBytes(item.Payload.Span);
        Debug.Assert(!writer.Overflowed, "the buffer holds the longest record");
        _sender.OnSent(writer.Written, now);
        _host.Send(this, _buffer.AsSpan(0, writer.Written));
    }

    private void SendParity(Instant now)
    {
        WireWriter writer = Begin(LinkKind.Parity);
        _sender.WriteParity(ref writer);
        Debug.Assert(!writer.Overflowed, "the buffer holds the longest record");
        _sender.OnSent(writer.Written, now);
        _host.Send(this, _buffer.AsSpan(0, writer.Written));
    }

    private void SendAck(Instant now)
    {
        WireWriter writer = Begin(LinkKind.Ack);
        _receiver.WriteFeedback(ref writer, now);
        Counters.Acks++;
        _host.Send(this, _buffer.AsSpan(0, writer.Written));
    }

    private void SendLinger(Instant now)
    {
        WireWriter writer = Begin(LinkKind.Linger);
        _receiver.WriteFeedback(ref writer, now);
        writer.WriteVarint(_sender.Highest);
        _sender.OnLingered(now);
        _host.Send(this, _buffer.AsSpan(0, writer.Written));
    }

    private WireWriter Begin(LinkKind kind)
    {
        var writer = new WireWriter(_buffer);
        new LinkHeader(kind, _own, _peer).Write(ref writer);
        return writer;
    }

    private static Instant Min(Instant left, Instant right) => left < right ? left : right;
}
