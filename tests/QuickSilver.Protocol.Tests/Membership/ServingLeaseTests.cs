using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using Xunit;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class ServingLeaseTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(8);
    private static readonly Instant Begin = new(TimeSpan.TicksPerHour);

    [Fact]
    public void A_lease_lasts_from_the_call_and_ends_here_before_it_ends_at_the_store()
    {
        ServingLease lease = Make();
        Assert.True(lease.IsValid(Begin + TimeSpan.FromSeconds(7)));
        Assert.False(lease.IsValid(Begin + TimeSpan.FromSeconds(7.5)));
    }

    [Fact]
    public void A_renewal_counts_from_the_instant_before_its_call()
    {
        ServingLease lease = Make();
        Assert.True(lease.TryRenew(asked: Begin + TimeSpan.FromSeconds(2), now: Begin + TimeSpan.FromSeconds(6)));
        Assert.True(lease.IsValid(Begin + TimeSpan.FromSeconds(9)));
        Assert.False(lease.IsValid(Begin + TimeSpan.FromSeconds(9.5)));
    }

    [Fact]
    public void An_answer_that_is_late_revives_no_lease()
    {
        ServingLease lease = Make();
        Assert.False(lease.TryRenew(asked: Begin + TimeSpan.FromSeconds(7), now: Begin + TimeSpan.FromSeconds(8)));
        Assert.False(lease.IsValid(Begin + TimeSpan.FromSeconds(8)));
    }

    [Fact]
    public void Answers_out_of_order_do_not_shorten_a_lease()
    {
        ServingLease lease = Make();
        Assert.True(lease.TryRenew(Begin + TimeSpan.FromSeconds(4), Begin + TimeSpan.FromSeconds(5)));
        Assert.True(lease.TryRenew(Begin + TimeSpan.FromSeconds(2), Begin + TimeSpan.FromSeconds(5)));
        Assert.True(lease.IsValid(Begin + TimeSpan.FromSeconds(11)));
    }

    [Fact]
    public void A_lost_lease_has_ended_for_good()
    {
        ServingLease lease = Make();
        lease.Lose();
        Assert.False(lease.IsValid(Begin));
        Assert.False(lease.TryRenew(Begin, Begin));
    }

    [Fact]
    public void A_frame_leaves_only_under_a_valid_lease()
    {
        var sent = new Sink();
        var clock = new SetClock { Now = Begin };
        int held = 0;
        var links = new LeasedLinks(sent, Make(), clock, () => held++);
        links.Send(1, [1]);
        clock.Now = Begin + TimeSpan.FromSeconds(20);
        links.Send(1, [2]);
        links.Close(1, MembershipRefusal.None);
        Assert.Equal([1], sent.First);
        Assert.Equal(1, held);
        Assert.True(sent.IsClosed);
    }

    [Fact]
    public void Each_term_of_an_election_has_terms_of_its_own()
    {
        uint first = Make(term: 7).Term;
        uint next = Make(term: 8).Term;
        Assert.Equal(ServingLease.TermsOfEach, next - first);
        Assert.True(Make(ServingLease.LastTerm).Term <= uint.MaxValue - ServingLease.TermsOfEach);
    }

    private static ServingLease Make(long term = 1) => new(term, Duration, Begin);

    private sealed class SetClock : IClock
    {
        public Instant Now { get; set; }
    }

    private sealed class Sink : IServerLinks
    {
        public List<byte> First { get; } = [];

        public bool IsClosed { get; private set; }

        public void Send(long connection, ReadOnlySpan<byte> frame) => First.Add(frame[0]);

        public void Close(long connection, MembershipRefusal reason) => IsClosed = true;
    }
}
