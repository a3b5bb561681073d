using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Packing;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// What the root pulls from one stream: trains of new packets, and beacons while none follow. Nothing is packed before
/// the root asks. Core thread only. Source: second paper, section 4 (pull).
/// </summary>
internal sealed class StreamFeed : IFeed
{
    private readonly StreamContext _context;
    private readonly StreamSender _stream;
    private readonly TrainBuilder _builder;
    private readonly StreamLending _lending;
    private readonly StreamMessages _messages;
    private readonly MemberCarriers _carriers;
    private readonly PacketMemory _memory;
    private readonly BeaconClock _beacon;
    private readonly BeaconReceivers _informed;
    private readonly StreamCarrier _train;
    private bool _isClosed;

    public StreamFeed(
        StreamContext context,
        StreamSender stream,
        TrainBuilder builder,
        StreamLending lending,
        StreamMessages messages,
        MemberCarriers carriers,
        PacketMemory memory,
        StreamCarrier carrier)
    {
        _context = context;
        _stream = stream;
        _builder = builder;
        _lending = lending;
        _messages = messages;
        _carriers = carriers;
        _memory = memory;
        _train = carrier;
        _beacon = new BeaconClock(context.Send.Settings, context.Send.Alarms, messages.Pull.Request);
        _informed = new BeaconReceivers(context.Send, stream.View, _beacon);
        messages.Pull.Begin(this);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        bool any = _train.TryNextHeld(out train);
        if (!any) _train.Release();
        while (!any && (_messages.CanBuild || _beacon.IsDue || _lending.OwesOffer) && !_isClosed)
        {
            _context.Loop.Enter();
            if (_lending.OwesOffer) _train.HoldBeacon(_builder.BuildOffer());
            else if (_messages.CanBuild) MakeTrain(now);
            else MakeBeacon(now);
            _context.Loop.Leave(now);
            any = _train.TryNextHeld(out train);
        }
        if (any) return true;
        _messages.Pull.OnAnsweredEmpty();
        _train.Release();
        if (!_stream.HasUnstable && _messages.Backlog.IsEmpty) _memory.ReleaseSpare();
        return false;
    }

    /// <summary>Feedback has come from the view.</summary>
    public void OnHeard(Instant now) => _informed.OnHeard(now);

    /// <summary>Packets were sent for the first time: beacons wait for a silence after them.</summary>
    public void OnPackets(Instant now) => _beacon.OnPacket(now);

    /// <summary>Announces a new state: a beacon is due now.</summary>
    public void Announce() => _beacon.Announce();

    /// <summary>Everything that was sent is stable: nothing is left to announce or to send.</summary>
    public void OnAllStable()
    {
        _beacon.Stop();
        _train.Stop();
        // The root may still hold the last train: then one more pull releases its memory.
        if (!_train.IsEmpty) _messages.Pull.Request();
        else if (_messages.Backlog.IsEmpty) _memory.ReleaseSpare();
    }

    /// <summary>Gives nothing more to the root.</summary>
    public void Close()
    {
        _isClosed = true;
        _messages.Pull.Close();
        _beacon.Stop();
        _train.Stop();
        _context.Send.Roots.DropKept(this);
        _train.Release();
    }

    private void MakeTrain(Instant now)
    {
        int count = _builder.Build(now, out Slice train, out int segment);
        if (count == 0) return;
        _train.Hold(train, segment, _messages.TakePacked());
        _context.Send.Counters.PacketsSent += (ulong)count;
        _carriers.OnTrain(now);
        _beacon.OnPacket(now);
        if (_messages.Backlog.FallsToLowMark()) _context.Loop.Wake(_messages.Backlog);
        if (_stream.HasSentLast) _beacon.Announce();
        _context.Events.OnStreamAdvanced(_stream, _stream.Urgency, now);
    }

    private void MakeBeacon(Instant now)
    {
        if (!_stream.HasUnstable)
        {
            _beacon.Stop();
            return;
        }
        bool isFinal = _stream.HasSentLast;
        _context.Send.Settings.Probes.Reached(
            isFinal ? "a sender says that its stream has ended" : "a silent sender says how far it has come");
        _train.HoldBeacon(_builder.BuildBeacon(isFinal), _informed.Next(_stream.UnstableSince, now));
        _beacon.OnBeacon(now);
        bool isUrgent = _stream.Urgency == FeedbackUrgency.Immediate;
        FeedbackUrgency urgency = isUrgent ? FeedbackUrgency.Immediate : FeedbackUrgency.Normal;
        _context.Events.OnStreamAdvanced(_stream, urgency, now);
    }
}
