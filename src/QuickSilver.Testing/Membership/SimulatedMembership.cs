using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Membership;

/// <summary>
/// The membership server in the simulation: the very state machine that serves at run time, reached over reliable
/// ordered channels with delay. It handles a frame when it arrives; its work costs no time.
/// </summary>
internal sealed class SimulatedMembership : IServerLinks, IMembershipDoor, IEventTarget
{
    private const int IdsOfHost = 1 << 24;

    private static readonly TimeSpan ReadTime = TimeSpan.FromMicroseconds(200);

    private readonly MembershipLinkModel _model;
    private readonly EventQueue _events;
    private readonly SimulationRandom _random;
    private readonly TraceHash _trace;
    private readonly OffsetClock _clock;
    private readonly AlarmQueue _alarms = new();
    private readonly MembershipServerSettings _settings;
    private LeaseGuard? _guard;
    private MembershipServer? _server;
    private ulong _servers;
    private readonly Dictionary<long, SimulatedLink> _links = [];
    private readonly Dictionary<int, int> _blocked = [];
    private readonly Dictionary<int, Instant> _stalledUntil = [];
    private readonly Action<SimulatedMembership, ulong, MembershipRefusal> _onRemoved;
    private readonly Action<SimulatedMembership, ulong> _onTakenOver;
    private readonly Queue<(object? Argument, Happening What)> _unread = [];
    private readonly HashSet<int> _accusers = [];
    private readonly SortedSet<ulong> _welcomed = [];
    private readonly FrameBuilder _frame = new();
    private Instant _frozenUntil;
    private Instant _readsFrom;
    private bool _isAway;
    private Instant _nextAlarm = Instant.Never;
    private long _lastLink;
    private bool _isStopped;

    /// <summary>Starts the server.</summary>
    /// <param name="settings">The server's.</param>
    /// <param name="model">The channels.</param>
    /// <param name="clock">The clock of the server's machine.</param>
    /// <param name="events">Where arrivals are scheduled.</param>
    /// <param name="random">Decides delays, and seeds the servers.</param>
    /// <param name="trace">Told of every frame.</param>
    /// <param name="onRemoved">Told the key of each node that the server announces as removed, before any node hears of
    /// it.</param>
    /// <param name="onTakenOver">Told the key of each node that the server welcomes under the number that a server
    /// before has given it.</param>
    /// <param name="host">Index of the host, where there are several. An elected one begins without a server.</param>
    public SimulatedMembership(
        MembershipServerSettings settings, MembershipLinkModel model, OffsetClock clock, EventQueue events,
        SimulationRandom random, TraceHash trace,
        Action<SimulatedMembership, ulong, MembershipRefusal> onRemoved,
        Action<SimulatedMembership, ulong> onTakenOver, int host = 0)
    {
        _onRemoved = onRemoved;
        _onTakenOver = onTakenOver;
        _settings = settings;
        _model = model;
        _events = events;
        _random = random;
        _trace = trace;
        _clock = clock;
        _lastLink = (long)host * IdsOfHost;
        _servers = (ulong)host * IdsOfHost;
        if (settings.IsElected) _isAway = true;
        else _server = NewServer();
    }

    private long _bytesDown;
    private TimeSpan _work;
    private TimeSpan _longest;

    private enum Happening : long
    {
        Alarms,
        Connected,
        FrameUp,
        FrameDown,
        ClosedUp,
        ClosedDown,
        Thaw,
    }

    /// <summary>Frames that were on the way in either direction.</summary>
    public ulong Frames { get; private set; }

    /// <summary>How many servers there have been, with the present one.</summary>
    public ulong Servers => _servers;

    /// <summary>Number of nodes registered at the present server.</summary>
    public int Nodes => IsServing ? _server!.Statistics.Nodes : 0;

    /// <summary>Counter of the last step that the present server has made.</summary>
    public ulong LastStep => _server?.Statistics.Steps ?? 0;

    /// <summary>The machine whose frame the server reads now; -1 when it reads none.</summary>
    public int Speaker { get; private set; } = -1;

    /// <summary>Called when an elected server says something; its lease is valid by its own clock.</summary>
    public Action? OnWord { get; init; }

    /// <summary>The clock of the server's machine.</summary>
    public OffsetClock Clock => _clock;

    /// <summary>True while there is a server.</summary>
    public bool IsServing => !_isAway && !_isStopped;

    /// <summary>The instance of the electorate that has elected the present server; 0: none has.</summary>
    public ulong Electorate => _guard?.Electorate ?? 0;

    /// <summary>Alarms set in the server now.</summary>
    public int Alarms => _alarms.Count;

    /// <summary>What all servers have cost so far.</summary>
    public MembershipLoad Load => new(LastStep, _work, _longest, _bytesDown);

    /// <summary>Opens a channel; both ends are told a delay later.</summary>
    /// <returns>Null when there is no server, or no way to it: to be tried again.</returns>
    public SimulatedLink? Connect(IMembershipClient client)
    {
        if (_isAway || _isStopped || _blocked.ContainsKey(client.Machine)) return null;
        var link = new SimulatedLink(++_lastLink, client, this);
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

    /// <summary>A channel breaks, or its node ends: what was sent upwards before still arrives, then the server is
    /// told; the node is told a delay later if it lives.</summary>
    /// <param name="link">The channel.</param>
    /// <param name="isEnded">Its node has ended, and its machine says so; false: the network is down.</param>
    public void Break(SimulatedLink link, bool isEnded)
    {
        if (!link.IsOpen) return;
        link.IsEnded = isEnded;
        link.LastUp = Post(Arrival(link, link.LastUp), link, Happening.ClosedUp);
        link.LastDown = Post(Arrival(link, link.LastDown), link, Happening.ClosedDown);
    }

    /// <summary>Lets no channel between a machine and the server be opened, or ends that.</summary>
    public void Block(int machine, bool begins)
    {
        int count = _blocked.GetValueOrDefault(machine) + (begins ? 1 : -1);
        if (count > 0) _blocked[machine] = count;
        else _blocked.Remove(machine);
    }

    /// <summary>Holds up what passes between a machine and the server until an instant; channels do not
    /// break.</summary>
    public void Stall(int machine, Instant until)
    {
        if (!_stalledUntil.TryGetValue(machine, out Instant before) || before < until) _stalledUntil[machine] = until;
    }

    /// <summary>Makes the server stand still until an instant. It reads what has come a while later.</summary>
    public void Freeze(Instant until, TimeSpan readLag)
    {
        if (_isAway || _isStopped) return;
        if (_readsFrom == Instant.Zero) _server!.OnRead(_clock.Now);
        if (until > _frozenUntil) _frozenUntil = until;
        if (until + readLag > _readsFrom) _readsFrom = until + readLag;
        _events.Schedule(_readsFrom, this, null, (long)Happening.Thaw);
    }

    /// <summary>Makes the node of a machine accuse all others with each of its heartbeats, or ends that.</summary>
    public void AccuseAll(int machine, bool begins)
    {
        if (begins) _accusers.Add(machine);
        else _accusers.Remove(machine);
    }

    /// <summary>The operator tells the server that members of a name are gone for good.</summary>
    public void Forget(string name)
    {
        if (_isAway || _isStopped) return;
        _server!.Forget(name, _clock.Now);
        ArmAlarms();
    }

    /// <summary>The server dies with all it knows, and its channels with it; another takes its place.</summary>
    public void Replace()
    {
        Die();
        Return();
    }

    /// <summary>The server dies with all it knows, and its channels with it.</summary>
    public void Die()
    {
        if (_isAway || _isStopped) return;
        _isAway = true;
        _guard?.Stop();
        _guard = null;
        _server!.Stop();
        _unread.Clear();
        _frozenUntil = _readsFrom = Instant.Zero;
        foreach (SimulatedLink link in _links.Values.OrderBy(link => link.Id))
        {
            link.LastDown = Post(Arrival(link, link.LastDown), link, Happening.ClosedDown);
        }
        _links.Clear();
    }

    /// <summary>An empty server takes the place of one that has died.</summary>
    public void Return()
    {
        if (!_isAway || _isStopped) return;
        _isAway = false;
        _server = NewServer();
        ArmAlarms();
    }

    /// <summary>A host that was elected begins to serve.</summary>
    public void Grant(ServingLease lease)
    {
        Debug.Assert(_isAway, "a host that serves does not campaign");
        if (_isStopped) return;
        _isAway = false;
        _guard = new LeaseGuard(_alarms, lease, _clock, Die, _settings.Probes);
        MembershipServerSettings settings = _settings with { FirstTerm = lease.Term, Electorate = lease.Electorate };
        _server = NewServer(settings, _guard.Wrap(this));
        _guard.Start(_clock.Now);
        ArmAlarms();
    }

    /// <summary>The lease of the server was renewed by a call that began at an instant of its clock.</summary>
    public void Renew(Instant asked)
    {
        _guard?.Renew(asked);
        ArmAlarms();
    }

    /// <summary>The lease of the server is lost.</summary>
    public void Lose() => _guard?.Lose(_clock.Now);

    /// <summary>Ends the server.</summary>
    public void Stop()
    {
        _isStopped = true;
        _guard?.Stop();
        if (!_isAway || !_settings.IsElected) _server?.Stop();
    }

    /// <inheritdoc/>
    public void Send(long connection, ReadOnlySpan<byte> frame)
    {
        OnWord?.Invoke();
        if (!_links.TryGetValue(connection, out SimulatedLink? link) || !link.IsOpen) return;
        Trace(link, frame);
        NoteRemoval(frame);
        NoteWelcome(frame);
        _bytesDown += frame.Length;
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
        var what = (Happening)value;
        if (_isStopped && what is not Happening.FrameDown and not Happening.ClosedDown) return;
        if (what == Happening.Thaw) Thaw(now);
        else if (_readsFrom != Instant.Zero
            && what is Happening.Connected or Happening.FrameUp or Happening.ClosedUp)
            _unread.Enqueue((argument, what));
        else
            Handle(argument, what, now);
        ArmAlarms();
    }

    // To read takes time, and alarms fall due meanwhile. A host may report too early that all is read: what measures it
    // does not pass through the sockets.
    private void Thaw(Instant now)
    {
        if (_readsFrom == Instant.Zero || now < _readsFrom) return;
        _server!.OnRead(Instant.Never);
        if (_unread.TryDequeue(out (object? Argument, Happening What) unread))
        {
            Handle(unread.Argument, unread.What, now);
            _events.Schedule(now + ReadTime, this, null, (long)Happening.Thaw);
            return;
        }
        _frozenUntil = _readsFrom = Instant.Zero;
    }

    private void Handle(object? argument, Happening what, Instant now)
    {
        switch (what)
        {
            case Happening.Alarms:
                if (now < _nextAlarm) return;
                _nextAlarm = Instant.Never;
                if (now < _frozenUntil) return;
                long fired = Stopwatch.GetTimestamp();
                for (int most = _alarms.Count; most > 0 && _alarms.FireNext(_clock.Now); most--) { }
                NoteWork(fired);
                break;
            case Happening.Connected when argument is SimulatedLink { IsOpen: true } opened
                && _links.ContainsKey(opened.Id):
                _server!.OnConnected(opened.Id, _clock.Now);
                opened.Client.OnLinkConnected();
                break;
            case Happening.FrameUp when argument is Frame { Link.IsOpen: true } up && _links.ContainsKey(up.Link.Id):
                long began = Stopwatch.GetTimestamp();
                if (_accusers.Contains(up.Link.Client.Machine)) Accuse(up);
                Speaker = up.Link.Client.Machine;
                _server!.OnFrame(up.Link.Id, up.Bytes, _clock.Now);
                Speaker = -1;
                NoteWork(began);
                break;
            case Happening.FrameDown when argument is Frame { Link.IsOpen: true } down:
                down.Link.Client.OnLinkFrame(down.Bytes);
                break;
            case Happening.ClosedUp when argument is SimulatedLink lost:
                if (_links.Remove(lost.Id)) _server!.OnDisconnected(lost.Id, _clock.Now, lost.IsEnded);
                break;
            case Happening.ClosedDown when argument is SimulatedLink { IsOpen: true } closed:
                closed.IsOpen = false;
                closed.Client.OnLinkClosed();
                break;
        }
    }

    private void Accuse(Frame up)
    {
        if ((FrameKind)up.Bytes[0] != FrameKind.Heartbeat) return;
        var observed = new NodeObservations();
        foreach (ulong key in _welcomed)
        {
            observed.Silent.Add(new SilentMember(key, TimeSpan.FromMinutes(1), IsOwnFinding: true));
            observed.Blocked.Add(new BlockedPath(key, TimeSpan.FromMinutes(1)));
        }
        ObservedFrame.Write(_frame, observed, ObservedFrame.MostTold);
        _server!.OnFrame(up.Link.Id, _frame.Span, _clock.Now);
    }

    // Time of the machine: it is told, and decides nothing.
    private void NoteWork(long began)
    {
        TimeSpan took = Stopwatch.GetElapsedTime(began);
        _work += took;
        if (took > _longest) _longest = took;
    }

    // As for real, a server that is made later founds in a higher term, by far more than there are successions between.
    private MembershipServer NewServer()
    {
        MembershipServerSettings settings = _settings with { FirstTerm = (uint)(1 + (100_000 * _servers)) };
        return NewServer(settings, this);
    }

    private MembershipServer NewServer(MembershipServerSettings settings, IServerLinks links) => new(
        settings, _alarms, new SeededRandom(_random.Draw(RandomStream.Node, ulong.MaxValue, 0, _servers++)), links);

    private void ArmAlarms()
    {
        if (_isStopped) return;
        Instant due = _clock.ToGlobal(_alarms.NextDue);
        if (due < _frozenUntil) due = _frozenUntil;
        if (due >= _nextAlarm) return;
        _nextAlarm = due;
        _events.Schedule(due, this, null, (long)Happening.Alarms);
    }

    private Instant Arrival(SimulatedLink link, Instant last)
    {
        ulong bits = _random.Draw(RandomStream.Delay, ulong.MaxValue, (ulong)link.Id, link.Frames++);
        Instant arrival = _clock.ToGlobal(_clock.Now) + _model.Delay
            + new TimeSpan((long)(bits % (ulong)(_model.Jitter.Ticks + 1)));
        if (_model.Stalls > 0 && SimulationRandom.ToUnit(SeededRandom.Mix(bits)) < _model.Stalls)
            arrival += _model.StallTime;
        if (_stalledUntil.Count > 0 && _stalledUntil.TryGetValue(link.Client.Machine, out Instant until)
            && arrival < until) arrival = until;
        return arrival > last ? arrival : new Instant(last.Ticks + 1);
    }

    // Who is removed counts as gone from the instant at which the server says so, and not from when the last node has
    // heard it.
    private void NoteRemoval(ReadOnlySpan<byte> frame)
    {
        if (frame.IsEmpty || (FrameKind)frame[0] != FrameKind.NodeRemoved) return;
        var reader = new WireReader(frame[1..]);
        ulong key = FrameFields.ReadKey(ref reader);
        _onRemoved(this, key, (MembershipRefusal)reader.ReadByte());
    }

    private void NoteWelcome(ReadOnlySpan<byte> frame)
    {
        if (frame.IsEmpty || (FrameKind)frame[0] != FrameKind.Welcome) return;
        var reader = new WireReader(frame[1..]);
        if (!WelcomeFrame.TryRead(ref reader, out WelcomeFrame welcome)) return;
        _welcomed.Add(welcome.Number.Key);
        if (welcome.Number.Epoch < welcome.Epoch) _onTakenOver(this, welcome.Number.Key);
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
