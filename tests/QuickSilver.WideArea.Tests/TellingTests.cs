using System.Text.Json;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea.Tests;

/// <summary>What gateways tell: written and read, cut and changed; and what is noted of it.</summary>
public sealed class TellingTests
{
    private static readonly MemberRoster Two = new(70, ["alice", "bob"]);

    private static readonly SiteLinkStatistics TokyoLink = new()
    {
        Site = "tokyo",
        Transport = SiteLinkTransport.Tcp,
        State = SiteLinkState.Up,
        RoundTrip = TimeSpan.FromMilliseconds(9),
        LeastRoundTrip = TimeSpan.FromMilliseconds(8),
        BytesPerSecond = 1_250_000,
        Waiting = 1,
        Open = 2,
        PacketsSent = 3,
        PacketsResent = 4,
        ParitiesSent = 5,
        PacketsReceived = 6,
        PacketsDuplicated = 7,
        PacketsRebuilt = 8,
        BytesSent = long.MaxValue,
        Rejected = 9,
        Ups = 10,
        Failures = 11,
    };

    private static readonly byte[][] All =
    [
        HelloBody.Write(true),
        new AliveBody(7, "berlin").Write(),
        new PlaceBody(7, "news", "tokyo", true, false, Two).Write(),
        new AskBody(9, 300, "news").Write(),
        new AnswerBody(
            9, SiteConfirmationResult.Told, [new SiteReceipt("tokyo", SiteReceiptState.Held)]).Write(),
        new RosterBody(5, true, false, Two).Write(),
        new SiteBody(7, new SiteRoute("tokyo", "tokyo") { Link = TokyoLink }).Write(),
        new SiteBody(7, new SiteRoute("oslo", null)).Write(),
    ];

    [Fact]
    public void Bodies_are_written_and_read()
    {
        Assert.True(HelloBody.TryRead(All[0], out bool isFirst));
        Assert.True(isFirst);
        Assert.True(AliveBody.TryRead(All[1], out AliveBody alive));
        Assert.Equal(new AliveBody(7, "berlin"), alive);
        Assert.True(PlaceBody.TryRead(All[2], out PlaceBody place));
        Assert.True(place.Roster.IsLike(Two));
        Assert.Equal((7UL, "news", "tokyo", true, false),
            (place.Number, place.Group, place.Site, place.IsReached, place.Receives));
        Assert.True(AskBody.TryRead(All[3], out AskBody ask));
        Assert.Equal(new AskBody(9, 300, "news"), ask);
        Assert.True(AnswerBody.TryRead(All[4], out AnswerBody answer));
        Assert.Equal([new SiteReceipt("tokyo", SiteReceiptState.Held)], answer.Sites);
        Assert.Equal(SiteConfirmationResult.Told, answer.Result);
        Assert.True(RosterBody.TryRead(All[5], out RosterBody roster));
        Assert.True(roster.IsLike(new RosterBody(5, true, false, Two)));
        Assert.True(SiteBody.TryRead(All[6], out SiteBody tokyo));
        Assert.Equal(new SiteBody(7, new SiteRoute("tokyo", "tokyo") { Link = TokyoLink }), tokyo);
        Assert.True(SiteBody.TryRead(All[7], out SiteBody oslo));
        Assert.Equal(new SiteRoute("oslo", null), oslo.Route);
        // Of another version: pressure is read by all.
        Assert.All(All, static body => Assert.False(PressureBody.TryRead(body, out _) && body[0] != 1));
        Assert.Null(TellingHead.KindOf(PressureBody.Write([])));
    }

    [Fact]
    public void Nothing_that_was_cut_or_drawn_is_read_or_throws()
    {
        foreach (byte[] body in All)
        {
            for (int length = 0; length < body.Length; length++) Assert.False(IsRead(body.AsSpan(0, length)));
            Assert.False(IsRead([.. body, 0]));
        }
        var random = new Random(3);
        for (int round = 0; round < 20_000; round++)
        {
            byte[] body = [.. All[round % All.Length]];
            for (int change = 0; change < 3; change++) body[random.Next(1, body.Length)] = (byte)random.Next(256);
            IsRead(body);
        }
        // A name that no node may have.
        byte[] hidden = new AliveBody(7, "berlin").Write();
        hidden[^1] = 1;
        Assert.False(IsRead(hidden));
    }

    [Fact]
    public void A_roster_has_bounded_names()
    {
        string[] names = [.. Enumerable.Repeat("x", GroupMembers.MostNames + 1)];
        byte[] body = new RosterBody(5, false, false, new MemberRoster(100, names)).Write();
        Assert.False(RosterBody.TryRead(body, out _));
        Assert.True(RosterBody.TryRead(
            new RosterBody(5, false, false, new MemberRoster(100, names[1..])).Write(), out RosterBody read));
        Assert.Equal(GroupMembers.MostNames, read.Roster.Names.Count);
    }

    [Fact]
    public void A_message_is_found_where_it_is()
    {
        var notes = new SentNotes();
        var alice = MemberId.Parse("10.0.0.1:15000/1");
        notes.Begin(alice, 2);
        notes.OnEnded(alice, 3);
        notes.OnEnded(alice, 4);
        notes.OnRecord(1);
        notes.OnEnded(alice, 6);
        notes.OnRecord(2);
        Assert.Equal(SentPlace.HeldByAll, notes.Find(alice, 2, out _));
        Assert.Equal(SentPlace.InRecord, notes.Find(alice, 4, out ulong record));
        Assert.Equal(1UL, record);
        Assert.Equal(SentPlace.Missed, notes.Find(alice, 5, out _));
        Assert.Equal(SentPlace.NotYet, notes.Find(alice, 7, out _));
        Assert.Equal(SentPlace.NotYet, notes.Find(alice, 8, out _));
        notes.OnEnded(alice, 8);
        notes.OnRecord(3);
        Assert.Equal(SentPlace.Missed, notes.Find(alice, 7, out _));
        Assert.Equal(SentPlace.InRecord, notes.Find(alice, 8, out record));
        Assert.Equal(3UL, record);
        notes.Leave(alice, 8);
        Assert.Equal(SentPlace.InRecord, notes.Find(alice, 8, out _));
        notes.OnLowest(3);
        Assert.Equal(SentPlace.HeldByAll, notes.Find(alice, 6, out _));
        // It is not said to be held because a later one is.
        Assert.Equal(SentPlace.Missed, notes.Find(alice, 5, out _));
    }

    [Fact]
    public void A_gateway_that_another_took_over_from_is_not_heard()
    {
        var table = new PlaceTable();
        table.OnPlace(new PlaceBody(1, "news", "tokyo", true, true, Two));
        Assert.Empty(table.Of("news"));
        table.OnAlive(new AliveBody(2, "berlin"));
        table.OnPlace(new PlaceBody(1, "news", "tokyo", true, true, Two));
        Assert.Empty(table.Of("news"));
        table.OnPlace(new PlaceBody(2, "news", "tokyo", true, true, Two));
        Assert.Equal(70, Assert.Single(table.Of("news")).Count);
        table.OnAlive(new AliveBody(1, "other"));
        Assert.Equal("berlin", table.Own);
        table.OnSite(new SiteBody(1, new SiteRoute("tokyo", "tokyo") { Link = TokyoLink }));
        Assert.Empty(table.Routes());
        table.OnSite(new SiteBody(2, new SiteRoute("tokyo", "tokyo") { Link = TokyoLink }));
        Assert.Equal(TokyoLink, Assert.Single(table.Routes()).Link);
        table.OnAlive(new AliveBody(3, "berlin"));
        Assert.Empty(table.Of("news"));
        Assert.Empty(table.Routes());
    }

    [Fact]
    public void Confirmations_are_written_as_json_and_read()
    {
        var confirmation = new SiteConfirmation(
            new DeliveryReport(1, 2, 3, 0, TimeSpan.Zero), SiteConfirmationResult.Told,
            [new SiteReceipt("oslo", SiteReceiptState.Held), new SiteReceipt("tokyo", SiteReceiptState.Unreachable)]);
        string text = JsonSerializer.Serialize(confirmation);
        Assert.Equal(text, JsonSerializer.Serialize(JsonSerializer.Deserialize<SiteConfirmation>(text)));
        Assert.Equal(["oslo"], confirmation.Holding);
        Assert.Equal(["tokyo"], confirmation.NotHolding);
        Assert.False(confirmation.IsHeldByAll);
        var members = new SiteMembers("news", "tokyo", true, true, 1, ["alice"]);
        text = JsonSerializer.Serialize(members);
        Assert.Equal(text, JsonSerializer.Serialize(JsonSerializer.Deserialize<SiteMembers>(text)));
        var route = new SiteRoute("tokyo", "oslo") { Link = TokyoLink };
        text = JsonSerializer.Serialize(route);
        Assert.Equal(route, JsonSerializer.Deserialize<SiteRoute>(text));
    }

    private static bool IsRead(ReadOnlySpan<byte> body) =>
        HelloBody.TryRead(body, out _) || AliveBody.TryRead(body, out _) || PlaceBody.TryRead(body, out _)
        || AskBody.TryRead(body, out _) || AnswerBody.TryRead(body, out _) || RosterBody.TryRead(body, out _)
        || SiteBody.TryRead(body, out _);
}
