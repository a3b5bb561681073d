using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Membership;

/// <summary>
/// The hosts of a simulation and the store of leases that elects one of them. Hosts know the time by their own clocks
/// alone, and the store by that of the simulation. Checks V6: a server says nothing once the store has granted a later
/// term.
/// </summary>
internal sealed class SimulatedElection : ISimulatedHosts, IEventTarget
{
    private const double StaleAnswers = 0.05;
    private const int RenewalsInEach = 3;
    private const ulong Election = ulong.MaxValue - 1;

    private readonly ElectionModel _model;
    private readonly EventQueue _events;
    private readonly RunContext _run;
    private readonly List<SimulatedHost> _hosts = [];
    private SimulatedHost? _holder;
    private SimulatedHost? _holderBefore;
    private Instant _expiry;
    private long _term;
    private Instant _outUntil;
    private Instant _slowUntil;
    private TimeSpan _slowness;
    private ulong _draws;
    private bool _isStopped;

    /// <summary>Starts the hosts' campaigns.</summary>
    /// <param name="model">The store.</param>
    /// <param name="events">Where requests and answers are scheduled.</param>
    /// <param name="run">Where violations are noted; decides delays and losses.</param>
    /// <param name="makeHost">Makes the server of a host of an index, with its clock; it calls back with each frame
    /// that it sends.</param>
    public SimulatedElection(
        ElectionModel model, EventQueue events, RunContext run,
        Func<int, OffsetClock, Action, SimulatedMembership> makeHost)
    {
        _model = model;
        _events = events;
        _run = run;
        for (int index = 0; index < model.Hosts; index++)
        {
            int drift = model.ClockDrift == 0
                ? 0
                : (int)(Draw() % (ulong)((2 * model.ClockDrift) + 1)) - model.ClockDrift;
            var clock = new OffsetClock(run.Clock, TimeSpan.FromSeconds(1 + index), drift);
            var host = new SimulatedHost(index);
            host.Server = makeHost(index, clock, () => OnWord(host));
            _hosts.Add(host);
            Schedule(run.Now + (model.Pause * Unit()), host, Happening.Look);
        }
    }

    private enum Happening : long
    {
        Look,
        Campaign,
        Granted,
        Renewal,
        Renewed,
        Release,
    }

    /// <summary>The hosts' servers.</summary>
    public IEnumerable<SimulatedMembership> Servers => _hosts.Select(static host => host.Server);

    /// <inheritdoc/>
    public SimulatedLink? Connect(IMembershipClient client)
    {
        SimulatedHost? named = Draw() % 1000 < (ulong)(1000 * StaleAnswers) ? _holderBefore : _holder;
        return named is { IsDown: false } ? named.Server.Connect(client) : null;
    }

    /// <summary>A host dies, or starts again.</summary>
    /// <param name="host">Its index, modulo their number.</param>
    /// <param name="dies">True when it dies.</param>
    /// <param name="isOrderly">True when it gives its lease up after its server has stopped.</param>
    public void End(int host, bool dies, bool isOrderly)
    {
        SimulatedHost one = _hosts[host % _hosts.Count];
        one.IsDown = dies;
        if (!dies) return;
        bool served = one.Server.IsServing;
        one.Server.Die();
        one.Life++;
        if (isOrderly && served) Send(one, Happening.Release, default);
    }

    /// <summary>A host stands still; whatever it is asked or answered meanwhile comes later.</summary>
    public void Freeze(int host, TimeSpan time, TimeSpan readLag)
    {
        SimulatedHost one = _hosts[host % _hosts.Count];
        if (one.Server.IsServing) _run.Mark("a host that serves stands still");
        Instant until = _run.Now + time;
        if (until > one.FrozenUntil) one.FrozenUntil = until;
        one.Server.Freeze(until, readLag);
    }

    /// <summary>The store answers nobody for a while.</summary>
    public void Silence(TimeSpan time) => _outUntil = Later(_outUntil, _run.Now + time);

    /// <summary>Requests and answers take longer for a while.</summary>
    public void Slow(TimeSpan time, TimeSpan delay)
    {
        _slowUntil = Later(_slowUntil, _run.Now + time);
        _slowness = delay;
    }

    /// <summary>Nothing passes between a host and the store for a while.</summary>
    public void CutOff(int host, TimeSpan time)
    {
        SimulatedHost one = _hosts[host % _hosts.Count];
        one.CutUntil = Later(one.CutUntil, _run.Now + time);
    }

    /// <inheritdoc/>
    public void Cut(int hosts, TimeSpan time, bool isOneWay)
    {
        for (int host = 0; host < _hosts.Count; host++)
        {
            if ((hosts & (1 << host)) != 0) CutOff(host, time);
        }
    }

    /// <summary>Ends all hosts.</summary>
    public void Stop()
    {
        _isStopped = true;
        foreach (SimulatedHost host in _hosts) host.Server.Stop();
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        if (_isStopped) return;
        var request = (Request)argument!;
        var what = (Happening)value;
        if (what is Happening.Campaign or Happening.Renewal or Happening.Release) OnRequest(request, what, now);
        else if (now < request.Host.FrozenUntil) Schedule(request.Host.FrozenUntil, request, what);
        else if (what == Happening.Look) OnLook(request, now);
        else OnAnswer(request, what);
    }

    private void OnLook(Request request, Instant now)
    {
        SimulatedHost host = request.Host;
        if (host.IsDown)
        {
            Schedule(now + _model.Pause, host, Happening.Look);
            return;
        }
        Instant asked = host.Server.Clock.Now;
        bool serves = host.Server.IsServing;
        Send(host, serves ? Happening.Renewal : Happening.Campaign, asked);
        TimeSpan pause = serves ? _model.Duration / RenewalsInEach : _model.Pause;
        Schedule(now + pause + (_model.Delay * Unit()), host, Happening.Look);
    }

    // At the store, whose time is the simulation's.
    private void OnRequest(Request request, Happening what, Instant now)
    {
        bool isHeld = _holder is not null && now < _expiry;
        bool isOfHolder = isHeld && _holder == request.Host && request.Term == _term;
        if (what == Happening.Release)
        {
            if (isOfHolder) _expiry = now;
            return;
        }
        bool isGranted = what == Happening.Campaign ? !isHeld : isOfHolder;
        if (isGranted)
        {
            _expiry = now + _model.Duration;
            if (what == Happening.Campaign)
            {
                _term++;
                if (_term > 1) _run.Mark("a host is elected after another");
                _holderBefore = _holder;
                _holder = request.Host;
            }
        }
        Send(
            request with { IsGranted = isGranted, Term = _term },
            what == Happening.Campaign ? Happening.Granted : Happening.Renewed);
    }

    private void OnAnswer(Request answer, Happening what)
    {
        SimulatedHost host = answer.Host;
        if (host.IsDown || host.Life != answer.Life) return;
        if (answer.Term != _term && answer.IsGranted) _run.Mark("a host hears that it was elected after another was");
        if (what == Happening.Renewed)
        {
            if (host.Term != answer.Term && answer.IsGranted) return;
            if (answer.IsGranted) host.Server.Renew(answer.Asked);
            else if (host.Term == answer.AskedIn) host.Server.Lose();
            return;
        }
        if (!answer.IsGranted || host.Server.IsServing) return;
        host.Term = answer.Term;
        host.Server.Grant(new ServingLease(answer.Term, _model.Duration, answer.Asked));
    }

    private void OnWord(SimulatedHost host)
    {
        if (host.Term == _term) return;
        throw _run.Violation(
            "V6",
            $"the server of host {host.Index} says something in term {host.Term}, and the store has granted {_term}");
    }

    private void Send(SimulatedHost host, Happening what, Instant asked) =>
        Send(new Request(host, host.Life, asked, host.Term, host.Term, IsGranted: false), what);

    private void Send(Request request, Happening what)
    {
        Instant now = _run.Now;
        if (now < _outUntil || now < request.Host.CutUntil) return;
        if (Unit() < _model.Loss && now < Instant.Zero + _model.LossUntil) return;
        TimeSpan delay = _model.Delay + (now < _slowUntil ? _slowness : TimeSpan.Zero);
        Schedule(now + (delay * Unit()), request, what);
    }

    private void Schedule(Instant due, SimulatedHost host, Happening what) =>
        Schedule(due, new Request(host, host.Life, default, 0, 0, IsGranted: false), what);

    private void Schedule(Instant due, Request request, Happening what) =>
        _events.Schedule(due, this, request, (long)what);

    private static Instant Later(Instant one, Instant other) => one > other ? one : other;

    private ulong Draw() => _run.Random.Draw(RandomStream.Delay, Election, 0, _draws++);

    private double Unit() => SimulationRandom.ToUnit(Draw());

    /// <summary>A host: its server, and what it knows of its lease.</summary>
    private sealed class SimulatedHost(int index)
    {
        public int Index { get; } = index;

        public SimulatedMembership Server { get; set; } = null!;

        /// <summary>The term of its present or last lease.</summary>
        public long Term { get; set; }

        /// <summary>Rises with each death.</summary>
        public int Life { get; set; }

        public bool IsDown { get; set; }

        public Instant FrozenUntil { get; set; }

        public Instant CutUntil { get; set; }
    }

    /// <summary>A request to the store, or its answer.</summary>
    /// <param name="Host">Who asks.</param>
    /// <param name="Life">Its life then.</param>
    /// <param name="Asked">When, by its clock.</param>
    /// <param name="AskedIn">Its term then.</param>
    /// <param name="Term">The term that it asks for; in an answer that of the store.</param>
    /// <param name="IsGranted">What the store answers.</param>
    private sealed record Request(
        SimulatedHost Host, int Life, Instant Asked, long AskedIn, long Term, bool IsGranted);
}
