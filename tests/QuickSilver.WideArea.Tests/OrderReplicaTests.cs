using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.WideArea.Ordering;

namespace QuickSilver.WideArea.Tests;

/// <summary>The state of the order as members of one site begin it, and hand it to those that join.</summary>
public sealed class OrderReplicaTests
{
    private readonly List<(MemberId Id, OrderReplica Replica)> _members = [];
    private ulong _life = 10;

    [Fact]
    public void The_lowest_of_those_that_have_asked_begins_and_later_ones_get_the_state()
    {
        Join(3);
        Settle();
        Join(1);
        Join(2);
        Settle();
        Assert.All(_members, static one => Assert.True(one.Replica.HasState));
        Tell(_members[0].Id, RingBody.Sites(0, ["berlin", "tokyo"]));
        Assert.All(_members, static one => Assert.Equal(11UL, one.Replica.Merge!.Incarnation));
        Tell(_members[0].Id, RingBody.Local("accounts", [1]));
        Join(4);
        Settle();
        Assert.Equal(1, _members[^1].Replica.Merge!.Own.Waiting);
        Assert.Equal(["berlin", "tokyo"], _members[^1].Replica.Names);
    }

    [Fact]
    public void Another_answers_when_the_one_that_was_to_answer_is_gone()
    {
        Join(1);
        Settle();
        Join(2);
        Settle();
        Tell(_members[0].Id, RingBody.Sites(0, ["berlin", "tokyo"]));
        Join(3);
        // The ask comes, and the answer of the first never leaves.
        Tell(_members[2].Id, _members[2].Replica.ToSend.Dequeue());
        Assert.Single(_members[0].Replica.ToSend);
        _members.RemoveAt(0);
        View();
        Settle();
        Assert.All(_members, static one => Assert.Equal(11UL, one.Replica.Merge!.Incarnation));
    }

    [Fact]
    public void What_comes_between_ask_and_answer_is_run_by_the_one_that_joins()
    {
        Join(1);
        Settle();
        Tell(_members[0].Id, RingBody.Sites(0, ["berlin", "tokyo"]));
        Join(2);
        Tell(_members[1].Id, _members[1].Replica.ToSend.Dequeue());
        byte[] answer = _members[0].Replica.ToSend.Dequeue();
        Tell(_members[0].Id, RingBody.Local("accounts", [1]));
        Tell(_members[0].Id, answer);
        Tell(_members[0].Id, RingBody.Local("accounts", [2]));
        Assert.All(_members, static one => Assert.Equal(2, one.Replica.Merge!.Own.Waiting));
    }

    [Fact]
    public void Who_has_got_the_state_since_it_asked_hands_it_to_those_that_join()
    {
        Join(1);
        Tell(_members[0].Id, _members[0].Replica.ToSend.Dequeue());
        // The state begins while both have asked in the view of two.
        Join(2);
        while (_members[0].Replica.ToSend.TryDequeue(out byte[]? told)) Tell(_members[0].Id, told);
        Settle();
        _members.RemoveAt(0);
        View();
        Join(3);
        Settle();
        Assert.True(_members[^1].Replica.HasState);
    }

    [Fact]
    public void Bad_bodies_are_dropped_alike_and_counted()
    {
        Join(1);
        Join(2);
        Settle();
        Tell(_members[0].Id, RingBody.Sites(0, ["berlin", "tokyo"]));
        var entry = new OrderRecord
        {
            Kind = OrderRecordKind.Entry,
            View = new OrderViewId(1, 1, 5),
            Number = 1,
            Stamp = 1,
            Body = new byte[] { 1, (byte)'a', 7 },
        };
        byte[] good = RingBody.Record(1, "10.0.0.9:15000/1"u8, "far"u8, 1, entry.ToBytes());
        var random = new Random(3);
        for (int run = 0; run < 20_000; run++)
        {
            byte[] bad = good[..random.Next(good.Length + 1)];
            for (int change = random.Next(4); change > 0 && bad.Length > 0; change--)
                bad[random.Next(bad.Length)] = (byte)random.Next(256);
            Tell(_members[0].Id, bad);
        }
        Tell(_members[0].Id, RingBody.Record(9, [], [], 1, entry.ToBytes()));
        Tell(_members[0].Id, RingBody.Record(0, [], [], 1, entry.ToBytes()));
        Assert.True(_members[0].Replica.Rejected > 1000);
        Assert.Equal(_members[0].Replica.Rejected, _members[1].Replica.Rejected);
        Assert.Equal(
            _members[0].Replica.Merge!.TellState().ToBytes(), _members[1].Replica.Merge!.TellState().ToBytes());
    }

    private void Join(int number)
    {
        var id = MemberId.Parse($"10.0.0.{number}:15000/1");
        _members.Add((id, new OrderReplica(id, () => ++_life, deliversSafe: false)));
        View();
    }

    private void View()
    {
        MemberId[] view = [.. _members.Select(static one => one.Id)];
        foreach ((_, OrderReplica replica) in _members) replica.On(new RingEvent(view));
    }

    private void Tell(MemberId sender, byte[] body)
    {
        foreach ((_, OrderReplica replica) in _members) replica.On(new RingEvent(null, sender, "node", 1, body));
    }

    private void Settle()
    {
        while (_members.FindIndex(static one => one.Replica.ToSend.Count > 0) is >= 0 and var sender)
            Tell(_members[sender].Id, _members[sender].Replica.ToSend.Dequeue());
    }
}
