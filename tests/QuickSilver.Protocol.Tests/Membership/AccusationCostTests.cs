using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>What judging costs the server when many nodes accuse many, counted in findings looked at.</summary>
public sealed class AccusationCostTests : IServerLinks
{
    private const int Nodes = 60;
    private const int JudgementsASecond = 10;

    private readonly AlarmQueue _alarms = new();
    private readonly ServerParts _parts;
    private readonly ReachabilityMonitor _watch;
    private readonly List<ServerNode> _nodes = [];
    private readonly List<ServerNode> _gone = [];
    private Instant _now = Instant.Zero + TimeSpan.FromMinutes(1);

    public AccusationCostTests()
    {
        _parts = new ServerParts(new MembershipServerSettings(), _alarms, new SeededRandom(3), this, null);
        var sight = new QuorumLossGuard(_parts, static (_, _) => { }, static () => false);
        _watch = new ReachabilityMonitor(_parts, sight, Remove);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(50)]
    public void SixtyThatAccuseEachOtherCostBoundedWork(int reportsASecond)
    {
        Register(Nodes);
        // Below the detector period, so that nobody goes and all is looked at again each time.
        const int Seconds = 9;
        TimeSpan pause = TimeSpan.FromSeconds(1) / reportsASecond / Nodes;
        for (int report = 0; report < Seconds * reportsASecond * Nodes; report++)
        {
            Tick(pause);
            Report(_nodes[report % Nodes], Nodes, TimeSpan.Zero);
        }
        Assert.Empty(_gone);
        const ulong Findings = Nodes * (Nodes - 1);
        Assert.InRange(_watch.Work, Findings, (Seconds + 1) * JudgementsASecond * 2 * Findings);
    }

    [Fact]
    public void WhenManyAreConfirmedEachThatGoesCostsOneLookAtAll()
    {
        Register(Nodes);
        for (int second = 0; second < 30; second++)
        {
            foreach (ServerNode node in _nodes)
            {
                if (!node.Info.IsRemoved) Report(node, Nodes, TimeSpan.FromSeconds(second + 1));
            }
            Tick(TimeSpan.FromSeconds(1));
        }
        Assert.NotEmpty(_gone);
        const ulong Findings = Nodes * (Nodes - 1);
        Assert.InRange(_watch.Work, Findings, ((30 * 2) + (ulong)_gone.Count) * 8 * Findings);
    }

    [Fact]
    public void OfAReportTheFirstFindingsCountOnesOwnBeforeHearsay()
    {
        Register(200);
        var observed = new NodeObservations();
        for (int index = 1; index < 200; index++)
            observed.Silent.Add(new SilentMember(_nodes[index].Key, TimeSpan.Zero, IsOwnFinding: index > 150));
        _watch.OnObserved(_nodes[0], observed, _now);
        Assert.InRange(_watch.Work, 1UL, 2UL * ReachReport.MostFindings);
        // Own findings of the last ones are among those that count: a second witness has them removed.
        for (int second = 0; second < 15; second++)
        {
            foreach (int witness in (int[])[0, 1])
            {
                observed.Clear();
                for (int index = 2; index < 200; index++)
                    observed.Silent.Add(
                        new SilentMember(_nodes[index].Key, TimeSpan.FromSeconds(second), IsOwnFinding: index == 199));
                _watch.OnObserved(_nodes[witness], observed, _now);
            }
            Tick(TimeSpan.FromSeconds(1));
        }
        Assert.Contains(_nodes[199], _gone);
    }

    [Fact]
    public void WhatWasReportedInBetweenIsJudgedAtTheEndOfTheInterval()
    {
        Register(3);
        TimeSpan longAgo = TimeSpan.FromSeconds(11);
        Report(_nodes[2], 1, TimeSpan.Zero);
        for (int second = 0; second < 12; second++)
        {
            Tick(TimeSpan.FromSeconds(1));
            Report(_nodes[0], 3, longAgo);
            Report(_nodes[1], 3, longAgo);
        }
        Tick(TimeSpan.FromMilliseconds(150));
        Assert.NotEmpty(_gone);
        Assert.Equal(0, _alarms.Count);
    }

    [Fact]
    public void AWatchThatIsStoppedHasNoAlarm()
    {
        Register(3);
        Report(_nodes[0], 3, TimeSpan.Zero);
        Report(_nodes[1], 3, TimeSpan.Zero);
        Assert.Equal(1, _alarms.Count);
        _watch.Stop();
        Assert.Equal(0, _alarms.Count);
    }

    void IServerLinks.Send(long connection, ReadOnlySpan<byte> frame)
    {
    }

    void IServerLinks.Close(long connection, MembershipRefusal reason)
    {
    }

    private void Register(int count)
    {
        for (int index = 0; index < count; index++)
        {
            var endpoint = new NetEndpoint(0x0A000001 + (uint)index, 7001);
            _nodes.Add(
                _parts.Nodes.Add(
                    new HelloFrame { NodeName = $"n{index}", Control = endpoint, Data = endpoint },
                    "",
                    _parts.ServerEpoch.Epoch,
                    0));
            _nodes[index].Connection = index;
            Assert.Equal(
                MembershipRefusal.None, _parts.Groups.TryGet(_nodes[index], "g", 0, out ServerGroup? group, _now));
            _parts.Changes.Add(_nodes[index], new GroupChange(group!.Counter, true, false));
        }
        // Only members of one view judge each other.
        Assert.NotNull(_parts.Maker.Make(1, _now));
    }

    private void Report(ServerNode node, int of, TimeSpan silentFor)
    {
        var observed = new NodeObservations();
        for (int index = 0; index < of; index++)
        {
            if (_nodes[index] != node)
                observed.Silent.Add(new SilentMember(_nodes[index].Key, silentFor, IsOwnFinding: true));
        }
        node.LastHeard = _now;
        _watch.OnObserved(node, observed, _now);
    }

    private void Tick(TimeSpan time)
    {
        _now += time;
        while (_alarms.FireNext(_now))
        {
        }
    }

    private void Remove(ServerNode node, MembershipRefusal reason, Instant now)
    {
        _gone.Add(node);
        _parts.Nodes.Remove(node);
        _watch.OnRemoved(node, now);
    }
}
