using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Membership;

/// <summary>
/// The membership server in the simulation: the very state machine that serves at run time, reached over reliable ordered channels with delay. It
/// handles a frame when it arrives; its
/// work costs no time.
/// </summary>
internal sealed class SimulatedMembership : IServerLinks, IEventTarget
{
    private readonly MembershipLinkModel _model;
    private readonly EventQueue _events;
    private readonly SimulationRandom _random;
    private readonly TraceHash _trace;
    private readonly OffsetClock _clock;
    private readonly AlarmQueue _alarms = new();
    private readonly MembershipServerSettings _settings;
    private MembershipServer _server;
    private ulong _servers;
    private readonly Dictionary<long, SimulatedLink> _links = [];
    private Instant _nextAlarm = Instant.Never;
    private long _lastLink;
    private bool _isStopped;

    /// <summary>Starts the server.</summary>
    public SimulatedMembership(
        MembershipServerSettings settings, MembershipLinkModel model, VirtualClock clock, EventQueue events, SimulationRandom random, TraceHash trace)
    {
        _settings = settings;
        _model = model;
        _events = events;
        _random = random;
        _trace = trace;
        _clock = new OffsetClock(clock, TimeSpan.FromSeconds(1));
        _server = NewServer();
    }

    private enum Happening : long
    {
        Alarms,
        Connected,
        FrameUp,
        FrameDown,
        ClosedUp,
        ClosedDown,
    }

    /// <summary>Frames that were on the way in either direction.</summary>
    public ulong Frames { get; private set; }

    /// <summary>Alarms set in the server now.</summary>
    public int Alarms => _alarms.Count;

    /// <summary>Opens a channel; both ends are told a delay later.</summary>
    public SimulatedLink Connect(IMembershipClient client)
    {
        var link = new SimulatedLink(++_lastLink, client);
        _links.Add(link.Id, link);
        link.LastUp = link.LastDown = Post(Arrival(link, default), link, Happening.Connected);
        return link;
    }

    /// <summary>A node sends a frame.</summary>
    public void SendUp(SimulatedLink link, ReadOnlySpan<byte> frame)
    {
        if (!link.IsOpen) return;
        Trace(link, frame);
        link.LastUp = Post(Arrival(link, link.LastUp), new Frame(link, frame.ToArray()), Happening.FrameUp);
    }

    /// <summary>A channel breaks, or its node ends: what was sent upwards before still arrives, then the server is told; the node is told a delay
    /// later if it lives.</summary>
    public void Break(SimulatedLink link)
    {
        if (!link.IsOpen) return;
        link.LastUp = Post(Arrival(link, link.LastUp), link, Happening.ClosedUp);
        link.LastDown = Post(Arrival(link, link.LastDown), link, Happening.ClosedDown);
    }

    /// <summary>The server dies with all it knows, and its channels with it; another takes its place.</summary>
    public void Replace()
    {
        _server.Stop(_clock.Now);
        foreach (SimulatedLink link in _links.Values.OrderBy(link => link.Id))
        {
            link.LastDown = Post(Arrival(link, link.LastDown), link, Happening.ClosedDown);
        }
        _links.Clear();
        _server = NewServer();
        ArmAlarms();
    }

    /// <summary>Ends the server.</summary>
    public void Stop()
    {
        _isStopped = true;
        _server.Stop(_clock.Now);
    }

    /// <inheritdoc/>
    public void Send(long connection, ReadOnlySpan<byte> frame)
    {
        if (!_links.TryGetValue(connection, out SimulatedLink? link) || !link.IsOpen) return;
        Trace(link, frame);
        link.LastDown = Post(Arrival(link, link.LastDown), new Frame(link, frame.ToArray()), Happening.FrameDown);
    }

    /// <inheritdoc/>
    public void Close(long connection, MembershipRefusal reason)
    {
        if (!_links.Remove(connection, out SimulatedLink? link)) return;
        link.LastDown = Post(Arrival(link, link.LastDown), link, Happening.ClosedDown);
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        if (_isStopped && (Happening)value is not Happening.FrameDown and not Happening.ClosedDown) return;
        switch ((Happening)value)
        {
            case Happening.Alarms:
                if (now < _nextAlarm) return;
                _nextAlarm = Instant.Never;
                for (int most = _alarms.Count; most > 0 && _alarms.FireNext(_clock.Now); most--) { }
                break;
            case Happening.Connected when argument is SimulatedLink { IsOpen: true } opened && _links.ContainsKey(opened.Id):
                _server.OnConnected(opened.Id, _clock.Now);
                opened.Client.OnLinkConnected();
                break;
            case Happening.FrameUp when argument is Frame { Link.IsOpen: true } up && _links.ContainsKey(up.Link.Id):
                _server.OnFrame(up.Link.Id, up.Bytes, _clock.Now);
                break;
            case Happening.FrameDown when argument is Frame { Link.IsOpen: true } down:
                down.Link.Client.OnLinkFrame(down.Bytes);
                break;
            case Happening.ClosedUp when argument is SimulatedLink lost:
                if (_links.Remove(lost.Id)) _server.OnDisconnected(lost.Id, _clock.Now);
                break;
            case Happening.ClosedDown when argument is SimulatedLink { IsOpen: true } closed:
                closed.IsOpen = false;
                closed.Client.OnLinkClosed();
                break;
        }
        ArmAlarms();
    }

    private MembershipServer NewServer() =>
        new(_settings, _alarms, new SeededRandom(_random.Draw(RandomStream.Node, ulong.MaxValue, 0, _servers++)), this);

    private void ArmAlarms()
    {
        if (_isStopped) return;
        Instant due = _clock.ToGlobal(_alarms.NextDue);
        if (due >= _nextAlarm) return;
        _nextAlarm = due;
        _events.Schedule(due, this, null, (long)Happening.Alarms);
    }

    private Instant Arrival(SimulatedLink link, Instant last)
    {
        ulong bits = _random.Draw(RandomStream.Delay, ulong.MaxValue, (ulong)link.Id, link.Frames++);
        Instant arrival = _clock.ToGlobal(_clock.Now) + _model.Delay + new TimeSpan((long)(bits % (ulong)(_model.Jitter.Ticks + 1)));
        if (_model.Stalls > 0 && SimulationRandom.ToUnit(SeededRandom.Mix(bits)) < _model.Stalls) arrival += _model.StallTime;
        return arrival > last ? arrival : new Instant(last.Ticks + 1);
    }

    private Instant Post(Instant arrival, object argument, Happening happening)
    {
        _events.Schedule(arrival, this, argument, (long)happening);
        return arrival;
    }

    private void Trace(SimulatedLink link, ReadOnlySpan<byte> frame)
    {
        Frames++;
        _trace.Add(TraceKind.Frame, _clock.Now, (ulong)link.Id, Crc32C.Of(frame));
    }

    private sealed record Frame(SimulatedLink Link, byte[] Bytes);
}
