using System.Net;
using System.Text;
using QuickSilver.Membership.Discovery;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Security;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Membership.Discovery;

/// <summary>What a node takes of the announcements that strangers may send.</summary>
public sealed class AnnouncementTableTests
{
    private const string Cluster = "demo";
    private const ulong Own = 99;
    private static readonly byte[] KeyBytes = [.. Enumerable.Range(0, 32).Select(static one => (byte)(one * 7))];
    private static readonly byte[] OtherBytes = [.. Enumerable.Range(0, 32).Select(static one => (byte)(one * 5))];
    private static readonly IPAddress There = IPAddress.Parse("10.0.0.5");
    private static readonly IPAddress Elsewhere = IPAddress.Parse("10.0.0.6");

    private readonly AnnouncementTable _plain = new(Cluster, keys: null, Own);
    private readonly AnnouncementTable _keyed = new(Cluster, Keys(KeyBytes), Own);

    [Fact]
    public void An_announcement_with_the_key_counts_for_its_time_and_says_so()
    {
        Task changed = _keyed.Changed;
        Assert.Equal(AnnouncementFault.None, Take(_keyed, Say(sender: 1, key: KeyBytes)));
        Assert.True(changed.IsCompletedSuccessfully);
        AnnouncedServer heard = Assert.Single(_keyed.Read(Seconds(2)));
        Assert.Equal(
            new AnnouncedServer(
                AnnouncementKind.Server, 1, new IPEndPoint(There, 14_999), 12, 3, IsProven: true, Seconds(2)), heard);
        Assert.Empty(_keyed.Read(AnnouncementTable.Life));
    }

    [Fact]
    public void Without_the_key_nothing_counts()
    {
        Assert.Equal(AnnouncementFault.OtherKey, Take(_keyed, Say(sender: 1)));
        Assert.Equal(AnnouncementFault.OtherKey, Take(_keyed, Say(sender: 1, key: OtherBytes)));
        byte[] forged = Say(sender: 1, key: KeyBytes);
        forged[5] = (byte)AnnouncementKind.Candidate;
        Assert.Equal(AnnouncementFault.WrongProof, Take(_keyed, forged));
        Assert.Equal(AnnouncementFault.OtherKey, Take(_plain, Say(sender: 1, key: KeyBytes)));
        Assert.Empty(_keyed.Read(default));
        Assert.Empty(_plain.Read(default));
        Assert.Equal(2, _keyed.CountOf(AnnouncementFault.OtherKey));
    }

    [Fact]
    public void A_key_that_is_accepted_besides_the_first_is_enough()
    {
        var table = new AnnouncementTable(Cluster, Keys(OtherBytes, KeyBytes), Own);
        Assert.Equal(AnnouncementFault.None, Take(table, Say(sender: 1, key: KeyBytes)));
    }

    [Fact]
    public void Other_clusters_own_words_and_junk_do_not_count()
    {
        Assert.Equal(AnnouncementFault.OtherCluster, Take(_plain, Say(sender: 1, cluster: "other")));
        Assert.Equal(AnnouncementFault.OtherCluster, Take(_plain, Say(sender: 1, cluster: "demo2")));
        Assert.Equal(AnnouncementFault.Own, Take(_plain, Say(Own)));
        Assert.Equal(AnnouncementFault.Malformed, Take(_plain, []));
        Assert.Equal(AnnouncementFault.Malformed, Take(_plain, new byte[Announcement.MaxBytes + 1]));
        Assert.Empty(_plain.Read(default));
    }

    [Fact]
    public void Without_a_key_a_process_can_offer_its_own_address_alone()
    {
        Assert.Equal(AnnouncementFault.OtherAddress, Take(_plain, Say(sender: 1), Elsewhere));
        Assert.Equal(AnnouncementFault.None, Take(_plain, Say(sender: 1)));
        // Nor take the place of another.
        Assert.Equal(
            AnnouncementFault.OtherAddress, Take(_plain, Say(sender: 1, number: 9, address: Elsewhere), Elsewhere));
        Assert.Equal(There, Assert.Single(_plain.Read(default)).EndPoint.Address);
        // With the key it may speak from another of its addresses.
        Assert.Equal(AnnouncementFault.None, Take(_keyed, Say(sender: 1, key: KeyBytes), Elsewhere));
    }

    [Fact]
    public void What_was_recorded_counts_once()
    {
        byte[] recorded = Say(sender: 1, number: 5, key: KeyBytes);
        Assert.Equal(AnnouncementFault.None, Take(_keyed, recorded));
        Assert.Equal(AnnouncementFault.Old, Take(_keyed, recorded));
        Assert.Equal(AnnouncementFault.Old, Take(_keyed, Say(sender: 1, number: 4, key: KeyBytes)));
        TimeSpan later = AnnouncementTable.Life * 3;
        Assert.Empty(_keyed.Read(later));
        Assert.Equal(AnnouncementFault.Old, Take(_keyed, recorded, now: later));
        Assert.Empty(_keyed.Read(later));
    }

    [Fact]
    public void A_flood_of_senders_fills_a_bounded_table_and_pushes_nobody_out()
    {
        Assert.Equal(AnnouncementFault.None, Take(_plain, Say(sender: 1)));
        for (ulong sender = 2; sender < 1000; sender++)
        {
            var address = new IPAddress([10, 1, (byte)(sender >> 8), (byte)(sender | 1)]);
            Take(_plain, Say(sender, address: address), address);
        }
        Assert.Equal(AnnouncementTable.MostSenders, _plain.Read(default).Count);
        Assert.Contains(_plain.Read(default), static one => one.Sender == 1);
        Assert.Equal(AnnouncementFault.None, Take(_plain, Say(sender: 1, number: 2)));
        // When they are silent, others take their places.
        TimeSpan later = AnnouncementTable.Life;
        Assert.Equal(AnnouncementFault.None, Take(_plain, Say(5000), now: later));
        Assert.Equal(5000UL, Assert.Single(_plain.Read(later)).Sender);
    }

    [Fact]
    public void One_address_has_few_places()
    {
        for (ulong sender = 1; sender <= AnnouncementTable.MostOfAddress; sender++)
            Assert.Equal(AnnouncementFault.None, Take(_plain, Say(sender)));
        Assert.Equal(AnnouncementFault.NoRoom, Take(_plain, Say(sender: 50)));
        Assert.Equal(AnnouncementFault.None, Take(_plain, Say(60, address: Elsewhere), Elsewhere));
    }

    [Fact]
    public void Only_what_is_new_is_told()
    {
        Take(_plain, Say(sender: 1, number: 1));
        Task changed = _plain.Changed;
        Take(_plain, Say(sender: 1, number: 2, members: 8));
        Assert.False(changed.IsCompleted);
        Assert.Equal(8, Assert.Single(_plain.Read(default)).Members);
        Take(_plain, Say(sender: 1, number: 3, kind: AnnouncementKind.Candidate));
        Assert.True(changed.IsCompleted);
        changed = _plain.Changed;
        Take(_plain, Say(sender: 1, number: 4, kind: AnnouncementKind.Candidate, term: 13));
        Assert.True(changed.IsCompleted);
    }

    [Fact]
    public void Those_that_serve_come_first_and_the_highest_term_before_others()
    {
        Take(_keyed, Say(sender: 1, kind: AnnouncementKind.Candidate, term: 90, key: KeyBytes));
        Take(_keyed, Say(sender: 2, term: 7, key: KeyBytes));
        Take(_keyed, Say(sender: 3, term: 8, key: KeyBytes));
        Assert.Equal([3UL, 2UL, 1UL], _keyed.Read(default).Select(static one => one.Sender));
    }

    [Fact]
    public void A_link_local_address_gets_the_interface_on_which_it_was_heard()
    {
        var source = IPAddress.Parse("fe80::7%3");
        Assert.Equal(
            AnnouncementFault.None, Take(_plain, Say(sender: 1, address: IPAddress.Parse("fe80::7")), source));
        Assert.Equal("[fe80::7%3]:14999", Assert.Single(_plain.Read(default)).EndPoint.ToString());
    }

    private static AnnouncementFault Take(
        AnnouncementTable table, byte[] datagram, IPAddress? source = null, TimeSpan now = default) =>
        table.Take(datagram, source ?? There, now);

    private static TimeSpan Seconds(int seconds) => TimeSpan.FromSeconds(seconds);

    private static AcceptedKeys Keys(params byte[][] keys) =>
        AcceptedKeys.TryRead(
            [.. keys.Select(static key => PreSharedKey.FromBase64(Convert.ToBase64String(key)))], null, out _)!;

    private static byte[] Say(
        ulong sender, ulong number = 1, byte[]? key = null, string cluster = Cluster, IPAddress? address = null,
        AnnouncementKind kind = AnnouncementKind.Server, ulong term = 12, int members = 3)
    {
        SecurityKey? known = key is null ? null : new SecurityKey(key);
        var frame = new FrameBuilder();
        new Announcement
        {
            Kind = kind,
            Sender = sender,
            Number = number,
            EndPoint = new(AddressForms.ToNet(address ?? There), 14_999),
            Term = term,
            Members = members,
            Cluster = Encoding.UTF8.GetBytes(cluster),
            Key = known?.Id ?? 0,
        }.WriteTo(frame);
        if (known is null) return frame.ToArray();
        byte[] proof = new byte[Announcement.ProofBytes];
        known.ProveAnnouncement(frame.Span, proof);
        return frame.WriteBytes(proof).ToArray();
    }
}
