using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

public class MemberCarriersTests
{
    private const int Members = 4;
    private static readonly GroupInfo Group = SendWorld.Group(1);

    private readonly SendWorld _world = new();
    private readonly NodeInfo[] _members;
    private readonly RegionView _view;
    private readonly GroupSender _group;

    public MemberCarriersTests()
    {
        _members = _world.Nodes(1, Members);
        _view = _world.View(1, 1, 1, _members, unicast: false, Group);
        _world.Begin([Group], _view);
        _group = _world.Open(Group);
        Send();
    }

    private StreamSender Stream => _world.Stream(_view);

    private ulong[] Probes =>
        [.. _world.Trains.Where(train => train.Kind == DatagramKind.CarrierProbe)
            .Select(train => Header(train).Sequence)];

    [Fact]
    public void NobodyIsSentCopiesBeforeAMemberAsks()
    {
        Assert.Equal([TrainRoute.Region], Routes());
        Assert.Equal(0, Stream.MembersByUnicast);
    }

    [Fact]
    public void AMemberThatHearsNoProbeAndAsksAgainIsSentCopiesBesideTheMulticast()
    {
        Say(2, heard: null);
        _world.RunFor(TimeSpan.FromMilliseconds(250));
        Assert.Equal(4, Probes.Length);
        Assert.Empty(_world.Changes);

        Say(2, heard: null);

        Assert.Equal([(_members[2], CarrierChange.MemberToUnicast)], _world.Changes);
        Assert.Equal(1, Stream.MembersByUnicast);
        Send();
        Assert.Equal([TrainRoute.Region, TrainRoute.Unicast], Routes());
        SentTrain[] last = [.. _world.DataTrains.TakeLast(2)];
        Assert.Equal(last[0].Datagrams[0], last[1].Datagrams[0]);
        Assert.Equal(_members[2].Data, last[1].To);
    }

    [Fact]
    public void OneWordAloneOrAWordTooSoonIsNotBelieved()
    {
        Say(2, heard: null);
        Say(2, heard: null);
        Assert.Equal(0, Stream.MembersByUnicast);
        _world.RunFor(TimeSpan.FromSeconds(20));
        Say(2, heard: null);
        Assert.Equal(0, Stream.MembersByUnicast);
    }

    [Fact]
    public void AMemberThatHearsAProbeHasAnotherTrouble()
    {
        Say(2, heard: null);
        _world.RunFor(TimeSpan.FromMilliseconds(250));
        Say(2, heard: Probes[^1]);
        Say(2, heard: null);
        Assert.Equal(0, Stream.MembersByUnicast);
    }

    [Fact]
    public void WhenAllOthersHaveCopiesNothingIsMulticast()
    {
        for (int member = 1; member < Members; member++) TurnToUnicast(member);
        Send();
        Assert.Equal([TrainRoute.Unicast, TrainRoute.Unicast, TrainRoute.Unicast], Routes());
        _world.Remove(_members[1]);
        Send();
        Assert.Equal([TrainRoute.Unicast, TrainRoute.Unicast], Routes());
    }

    [Fact]
    public void ProbesLeaveBesideTrafficAtGrowingPauses()
    {
        TurnToUnicast(2);
        int before = Probes.Length;
        _world.AckAll();
        _world.RunFor(TimeSpan.FromMinutes(1));
        Assert.Equal(before, Probes.Length);

        var rounds = new List<double>();
        for (int second = 0; second < 200; second++)
        {
            int sent = Probes.Length;
            Send();
            _world.AckAll();
            _world.RunFor(TimeSpan.FromSeconds(1));
            if (Probes.Length > sent) rounds.Add(second);
        }
        Assert.Equal([0, 10, 30, 70, 130, 190], rounds);
    }

    [Fact]
    public void AMemberThatHearsThreeProbesOfOneRoundIsCarriedByMulticastAgain()
    {
        TurnToUnicast(2);
        ulong[] probes = ProbeRound();
        Say(2, heard: probes[0]);
        Say(2, heard: probes[0]);
        Say(2, heard: probes[3]);
        Say(2, heard: probes[3] + 4);
        Assert.Equal(1, Stream.MembersByUnicast);

        Say(2, heard: probes[1]);

        Assert.Equal(0, Stream.MembersByUnicast);
        Assert.Equal((_members[2], CarrierChange.MemberToMulticast), _world.Changes[^1]);
        Send();
        Assert.Equal([TrainRoute.Region], Routes());
    }

    [Fact]
    public void CopiesThatDoNotArriveEitherEndAndTheWordDoesNotCountForAMinute()
    {
        TurnToUnicast(2);
        _world.RunFor(TimeSpan.FromSeconds(4));
        Say(2, heard: null);
        Assert.Equal((_members[2], CarrierChange.CopiesInVain), _world.Changes[^1]);
        Assert.Equal(0, Stream.MembersByUnicast);
        TurnToUnicast(2, expected: 0);
        _world.RunFor(TimeSpan.FromMinutes(1));
        TurnToUnicast(2);
    }

    [Fact]
    public void TheNextViewBeginsWithWhatIsKnown()
    {
        TurnToUnicast(2);
        int changes = _world.Changes.Count;
        RegionView next = _world.View(1, 2, 2, [.. _members, _world.Node(9)], unicast: false, Group);
        _world.Install(2, next);
        _world.Switch();
        Send();
        Assert.Equal([TrainRoute.Region, TrainRoute.Unicast], Routes());
        Assert.Equal(1, _world.Stream(next).MembersByUnicast);
        Assert.Equal(changes, _world.Changes.Count);
    }

    [Fact]
    public void WhereTheViewIsCarriedByUnicastWordsChangeNothing()
    {
        RegionView next = _world.View(1, 2, 2, _members, unicast: true, Group);
        _world.Install(2, next);
        _world.Switch();
        Send();
        for (int time = 0; time < 3; time++)
        {
            _world.Disseminator.OnCarrierWord(_world.Stream(next), 2, new CarrierWordBody(null), _world.Now);
            _world.RunFor(TimeSpan.FromMilliseconds(300));
        }
        Assert.Empty(Probes);
        Assert.Empty(_world.Changes);
    }

    private static DatagramHeader Header(SentTrain train)
    {
        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(train.Datagrams[0], out DatagramHeader header));
        return header;
    }

    private void Say(int member, ulong? heard) =>
        _world.Disseminator.OnCarrierWord(Stream, member, new CarrierWordBody(heard), _world.Now);

    private void TurnToUnicast(int member, int expected = 1)
    {
        int before = Stream.MembersByUnicast;
        Say(member, heard: null);
        _world.RunFor(TimeSpan.FromMilliseconds(250));
        Say(member, heard: null);
        Assert.Equal(before + expected, Stream.MembersByUnicast);
    }

    private ulong[] ProbeRound()
    {
        int before = Probes.Length;
        _world.RunFor(TimeSpan.FromSeconds(5));
        Send();
        _world.RunFor(TimeSpan.FromSeconds(1));
        ulong[] probes = Probes[before..];
        Assert.Equal(4, probes.Length);
        return probes;
    }

    private int _from;

    private void Send()
    {
        _from = _world.Trains.Count;
        _world.Send(_group, [1, 2, 3]);
        _world.PullAll();
    }

    private TrainRoute[] Routes() =>
        [.. _world.Trains.Skip(_from).Where(train => train.Kind == DatagramKind.Data).Select(train => train.Route)];
}
