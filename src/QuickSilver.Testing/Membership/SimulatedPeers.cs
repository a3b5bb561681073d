using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Membership;

/// <summary>
/// The hosts of a simulation, which elect one of them by their own votes (<see cref="PeerElections"/>), over a network
/// of their own. Hosts know the time by their own clocks alone, and are killed, frozen and cut off from outside.
/// </summary>
internal sealed class SimulatedPeers : ISimulatedHosts, IEventTarget
{
    private const double StaleAnswers = 0.05;
    private const int RenewalsInEach = 3;
    private const ulong Election = ulong.MaxValue - 2;
    private static readonly TimeSpan RetireTime = TimeSpan.FromSeconds(2);

    private readonly ElectionModel _model;
    private readonly EventQueue _events;
    private readonly RunContext _run;
    private readonly List<SimulatedPeer> _hosts = [];
    private readonly PeerNetwork _network;
    private readonly PeerElections _elections;
    private ulong _draws;
    private bool _isStopped;

    /// <summary>Starts the hosts.</summary>
    /// <param name="model">How they elect.</param>
    /// <param name="events">Where questions and answers are scheduled.</param>
    /// <param name="run">Where violations are noted; decides delays and losses.</param>
    /// <param name="makeHost">Makes the server of a host of an index, with its clock; it calls back with each frame
    /// that it sends.</param>
    public SimulatedPeers(
        ElectionModel model, EventQueue events, RunContext run,
        Func<int, OffsetClock, Action, SimulatedMembership> makeHost)
    {
        _model = model;
        _events = events;
        _run = run;
        _network = new PeerNetwork(model, Unit);
        _elections = new PeerElections(
            model, run, _hosts, Send,
            poll => _events.Schedule(run.Now + model.CallTime, this, poll, (long)Happening.TimeOut), Draw);
        for (int index = 0; index < model.Hosts; index++)
        {
            int drift = model.ClockDrift == 0
                ? 0
                : (int)(Draw() % (ulong)((2 * model.ClockDrift) + 1)) - model.ClockDrift;
            var clock = new OffsetClock(run.Clock, TimeSpan.FromSeconds(1 + index), drift);
            var host = new SimulatedPeer(index, model, new Probes(run.Marks));
            host.Server = makeHost(index, clock, () => _elections.OnWord(host));
            host.Begin(Draw());
            _hosts.Add(host);
            _events.Schedule(run.Now + (model.Pause * Unit()), this, host, (long)Happening.Look);
        }
    }

    private enum Happening : long
    {
        Look,
        Question,
        Answer,
        TimeOut,
        Retired,
    }

    /// <inheritdoc/>
    public IEnumerable<SimulatedMembership> Servers => _hosts.Select(static host => host.Server);

    /// <inheritdoc/>
    public SimulatedLink? Connect(IMembershipClient client)
    {
        if (Draw() % 1000 < (ulong)(1000 * StaleAnswers)) return Connect(_elections.Last, client);
        // Where there are two clusters, each has some of the nodes.
        SimulatedPeer[] serving = [.. _hosts.Where(static host => host.Server.IsServing)];
        return serving.Length > 0 ? Connect(serving[client.Machine % serving.Length], client) : null;
    }

    private static SimulatedLink? Connect(SimulatedPeer? host, IMembershipClient client) =>
        host is { IsDown: false } ? host.Server.Connect(client) : null;

    /// <inheritdoc/>
    public void End(int host, bool dies, bool isOrderly)
    {
        SimulatedPeer one = _hosts[host % _hosts.Count];
        if (!dies)
        {
            if (!one.IsDown && one.IsRetiring) one.Die();
            if (!one.IsDown) return;
            one.Begin(Draw());
            return;
        }
        if (one.IsDown) return;
        one.Server.Die();
        if (!isOrderly)
        {
            one.Die();
            return;
        }
        one.IsRetiring = true;
        _events.Schedule(_run.Now + RetireTime, this, new Retirement(one, one.Life), (long)Happening.Retired);
        _elections.Retire(one);
    }

    /// <inheritdoc/>
    public void Freeze(int host, TimeSpan time, TimeSpan readLag)
    {
        SimulatedPeer one = _hosts[host % _hosts.Count];
        if (one.Server.IsServing) _run.Mark("a host that serves stands still");
        one.FrozenUntil = Later(one.FrozenUntil, _run.Now + time);
        one.Server.Freeze(one.FrozenUntil, readLag);
    }

    /// <inheritdoc/>
    public void CutOff(int host, TimeSpan time) => Cut(1 << (host % _hosts.Count), time, isOneWay: false);

    /// <inheritdoc/>
    public void Cut(int hosts, TimeSpan time, bool isOneWay) => _network.Cut(hosts, _run.Now + time, isOneWay);

    /// <inheritdoc/>
    public void Silence(TimeSpan time) => _network.Silence(_run.Now + time);

    /// <inheritdoc/>
    public void Slow(TimeSpan time, TimeSpan delay) => _network.Slow(_run.Now + time, delay);

    /// <inheritdoc/>
    public void Stop()
    {
        _isStopped = true;
        foreach (SimulatedPeer host in _hosts) host.Server.Stop();
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        if (_isStopped) return;
        switch ((Happening)value)
        {
            case Happening.Look:
                OnLook((SimulatedPeer)argument!, now);
                return;
            case Happening.Retired:
                var retired = (Retirement)argument!;
                if (!retired.Host.IsDown && retired.Host.Life == retired.Life) retired.Host.Die();
                return;
            case Happening.TimeOut:
                var poll = (Poll)argument!;
                if (IsLate(poll.Host, poll, Happening.TimeOut, now)) return;
                if (poll.Host.Poll == poll) _elections.End(poll);
                return;
            case Happening.Question:
                var question = (PeerLetter)argument!;
                if (!IsLate(question.To!, question, Happening.Question, now)) _elections.OnQuestion(question);
                return;
            default:
                var answer = (PeerLetter)argument!;
                if (!IsLate(answer.To!, answer, Happening.Answer, now)) _elections.OnAnswer(answer);
                return;
        }
    }

    private bool IsLate(SimulatedPeer host, object argument, Happening what, Instant now)
    {
        if (now >= host.FrozenUntil) return false;
        _events.Schedule(host.FrozenUntil, this, argument, (long)what);
        return true;
    }

    private void OnLook(SimulatedPeer host, Instant now)
    {
        if (IsLate(host, host, Happening.Look, now)) return;
        bool serves = host.Leader is not null;
        TimeSpan pause = serves ? _model.Duration / RenewalsInEach : _model.Pause;
        _events.Schedule(now + pause + (_model.Delay * Unit()), this, host, (long)Happening.Look);
        _elections.Turn(host);
    }

    private void Send(PeerLetter letter)
    {
        bool isAnswer = letter.Answer is not null;
        SimulatedPeer from = isAnswer ? letter.Responder! : letter.From;
        if (letter.To is not { } to || _network.DelayOf(from.Index, to.Index, _run.Now) is not { } delay) return;
        _events.Schedule(_run.Now + delay, this, letter, (long)(isAnswer ? Happening.Answer : Happening.Question));
    }

    private static Instant Later(Instant one, Instant other) => one > other ? one : other;

    private ulong Draw() => _run.Random.Draw(RandomStream.Delay, Election, 0, _draws++);

    private double Unit() => SimulationRandom.ToUnit(Draw());

    private sealed record Retirement(SimulatedPeer Host, int Life);
}
