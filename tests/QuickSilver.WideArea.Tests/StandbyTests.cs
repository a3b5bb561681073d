using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Presence;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Tests;

/// <summary>What a gateway that stands by keeps, hears and tells, part by part.</summary>
public sealed class StandbyTests
{
    private static readonly MemberId Alice = MemberId.Parse("10.0.0.1:15000/1");
    private static readonly MemberId Bob = MemberId.Parse("10.0.0.2:15000/1");

    [Fact]
    public void What_all_sites_hold_is_not_kept()
    {
        var buffer = new StandbyBuffer(1 << 20);
        for (ulong number = 1; number <= 10; number++)
        {
            Assert.Equal(0, buffer.Add(Of(Alice, number)));
            Assert.Equal(0, buffer.Add(Of(Bob, number)));
        }
        buffer.OnHeld(Alice, 7);
        buffer.OnHeld(Bob, 4);
        // It is told again, and late.
        buffer.OnHeld(Alice, 3);
        // What comes after it was told is not kept either.
        buffer.OnHeld(Bob, 12);
        Assert.Equal(0, buffer.Add(Of(Bob, 11)));
        var rest = new List<(MemberId, ulong)>();
        while (buffer.TryTake(out OutgoingMessage message)) rest.Add((message.From, message.Sequence));
        Assert.Equal([(Alice, 8UL), (Alice, 9UL), (Alice, 10UL)], rest);
        Assert.Equal(0, buffer.Count);
    }

    [Fact]
    public void The_oldest_go_when_there_are_too_many()
    {
        var buffer = new StandbyBuffer(64 * 10);
        int gone = 0;
        for (ulong number = 1; number <= 100; number++) gone += buffer.Add(Of(Alice, number));
        Assert.Equal(90, gone);
        Assert.True(buffer.TryTake(out OutgoingMessage first));
        Assert.Equal(91UL, first.Sequence);
        for (int sender = 0; sender < 3 * StandbyBuffer.MostSenders; sender++)
            buffer.OnHeld(MemberId.Parse($"10.0.{sender / 200}.{sender % 200}:15000/2"), 5);
        Assert.True(buffer.TryTake(out first));
        Assert.Equal(92UL, first.Sequence);
    }

    [Fact]
    public void Messages_are_held_when_their_last_record_is()
    {
        var notes = new SentNotes();
        notes.OnEnded(Alice, 1);
        notes.OnEnded(Bob, 5);
        notes.OnRecord(1);
        notes.OnRecord(2);
        notes.OnEnded(Alice, 2);
        notes.OnRecord(3);
        notes.OnLowest(1);
        Assert.Empty(notes.TakeNews(all: true));
        notes.OnLowest(3);
        Assert.Equal([(Alice, 1UL), (Bob, 5UL)], notes.TakeNews(all: false).Order());
        Assert.Empty(notes.TakeNews(all: false));
        notes.OnLowest(4);
        Assert.Equal([(Alice, 2UL)], notes.TakeNews(all: false));
        Assert.Equal([(Alice, 2UL), (Bob, 5UL)], notes.TakeNews(all: true).Order());
    }

    [Fact]
    public void Only_what_is_sent_again_is_dropped_and_what_comes_late_of_the_one_before()
    {
        var seen = new SeenSenders();
        var old = new StreamId(1, 10, 7);
        var next = new StreamId(1, 20, 7);
        Assert.True(seen.Accept(old, Came(1)));
        Assert.True(seen.Accept(old, Came(3)));
        // A gateway that began again, and did not take over: nothing is known to be the same.
        Assert.True(seen.Accept(next, Came(2)));
        Assert.True(seen.Accept(old, Came(3)));
        Assert.False(seen.Accept(next, Came(3, isAgain: true)));
        Assert.True(seen.Accept(next, Came(4, isAgain: true)));
        Assert.True(seen.Accept(next, Came(5)));
        Assert.False(seen.Accept(old, Came(4)));
        Assert.False(seen.Accept(old, Came(5)));
        Assert.True(seen.Accept(old, Came(6)));
        Assert.False(seen.Accept(next, Came(6, isAgain: true)));
        // Another site has a sender of the same id.
        Assert.True(seen.Accept(new StreamId(2, 20, 7), Came(1, isAgain: true)));

        static IncomingMessage Came(ulong number, bool isAgain = false) =>
            new(SenderText.Of(Alice, "alice"), number, [], isAgain);
    }

    [Fact]
    public void A_mark_of_what_is_sent_again_is_packed_and_read()
    {
        var packer = new RecordPacker(1, 1000);
        var reader = new RecordReader(1, 1 << 20);
        var read = new List<IncomingMessage>();
        foreach (OutgoingMessage message in new[]
        {
            Of(Alice, 1), Of(Alice, 2) with { IsAgain = true }, Of(Alice, 3, 3000) with { IsAgain = true },
            Of(Alice, 4),
        })
        {
            packer.Begin(message);
            while (!packer.Pack()) Assert.Equal(RejectReason.None, reader.Read(packer.Take().Span, read));
        }
        Assert.Equal(RejectReason.None, reader.Read(packer.Take().Span, read));
        Assert.Equal([(1UL, false), (2, true), (3, true), (4, false)], read.Select(one => (one.Sequence, one.IsAgain)));
    }

    [Fact]
    public void A_record_in_which_a_message_begins_is_held_when_the_message_has_come()
    {
        var stream = new StreamId(1, 10, GroupNumber.Of("news").Number);
        foreach (bool holdsBack in new[] { false, true })
        {
            var group = new SpanningGroup("news", holdsBack, []);
            var packer = new RecordPacker(GroupNumber.Of("news").Check, 1000);
            var held = new List<ulong>();
            ulong number = 0;
            foreach (OutgoingMessage message in new[] { Of(Alice, 1), Of(Alice, 2, 2500), Of(Alice, 3, 10) })
            {
                packer.Begin(message);
                while (!packer.Pack()) Read();
            }
            Read();
            Assert.Equal(holdsBack ? [0UL, 0, number] : [1UL, 2, 3], held);

            void Read()
            {
                Assert.Equal(RejectReason.None, group.OnRecord(stream, ++number, packer.Take().Span));
                Assert.True(group.Incoming.Reader.TryRead(out IncomingBatch batch));
                Assert.Equal(number, batch.Number);
                held.Add(batch.Held);
            }
        }
    }

    [Fact]
    public void What_the_gateway_before_has_published_is_not_published_again()
    {
        var stream = new StreamId(1, 10, GroupNumber.Of("news").Number);
        var first = new SpanningGroup("news", holdsBack: true, []);
        var packer = new RecordPacker(GroupNumber.Of("news").Check, 1000);
        var records = new List<byte[]>();
        foreach (OutgoingMessage message in new[] { Of(Alice, 1), Of(Alice, 2, 2500), Of(Alice, 3, 10) })
        {
            packer.Begin(message);
            while (!packer.Pack()) records.Add(packer.Take().ToArray());
        }
        records.Add(packer.Take().ToArray());
        first.OnRecord(stream, 1, records[0]);
        Assert.True(first.Incoming.Reader.TryRead(out IncomingBatch batch));
        Assert.Equal([1UL], batch.Messages.Select(static one => one.Sequence));
        first.OnPublished(stream, batch.Number);
        GatewayProgress progress = first.TakeProgress(all: false)!;
        Assert.Null(first.TakeProgress(all: false));
        var second = new SpanningGroup(
            "news", holdsBack: true, progress.Taken.Select(static one => KeyValuePair.Create(one.Stream, one.Number)));
        var read = new List<ulong>();
        for (int index = 0; index < records.Count; index++)
        {
            second.OnRecord(stream, (ulong)index + 1, records[index]);
            Assert.True(second.Incoming.Reader.TryRead(out batch));
            read.AddRange(batch.Messages.Select(static one => one.Sequence));
        }
        Assert.Equal([2UL, 3], read);
    }

    [Fact]
    public void What_gateways_tell_each_other_is_written_and_read()
    {
        var vote = new ElectionVote(Alice, 1_700_000_000_000, true, 99);
        byte[] bytes = PresenceBody.Write(vote);
        Assert.True(PresenceBody.TryRead(bytes, out ElectionVote read));
        Assert.Equal(vote, read);
        Assert.Null(PresenceBody.ReadProgress(bytes, 5));
        RefusesParts(bytes);
        var progress = new GatewayProgress(
            7,
            [.. Enumerable.Range(0, 40).Select(static number => (Alice, (ulong)number))],
            [.. Enumerable.Range(0, 20).Select(static number => (new StreamId(3, 9, 7), (ulong)number))]);
        byte[][] parts = [.. PresenceBody.Write(5, progress)];
        Assert.Equal(3, parts.Length);
        Assert.All(parts, static part => Assert.InRange(part.Length, 1, 1200));
        GatewayProgress[] told = [.. parts.Select(static part => PresenceBody.ReadProgress(part, 5)!)];
        Assert.Equal(progress.Held, told.SelectMany(static one => one.Held));
        Assert.Equal(progress.Taken, told.SelectMany(static one => one.Taken));
        Assert.Null(PresenceBody.ReadProgress(parts[0], 6));
        RefusesParts(parts[0]);

        static void RefusesParts(byte[] good)
        {
            for (int length = 0; length < good.Length; length++) Refuses(good[..length]);
            Refuses([.. good, 0]);
            var random = new Random(1);
            for (int run = 0; run < 20_000; run++)
            {
                byte[] bad = [.. good];
                bad[random.Next(bad.Length)] = (byte)random.Next(256);
                // It may be another good one; it throws nothing.
                _ = PresenceBody.TryRead(bad, out _);
                _ = PresenceBody.ReadProgress(bad, 5);
            }
        }

        static void Refuses(byte[] bad)
        {
            Assert.False(PresenceBody.TryRead(bad, out _));
            Assert.Null(PresenceBody.ReadProgress(bad, 5));
        }
    }

    private static OutgoingMessage Of(MemberId sender, ulong number, int length = 0) =>
        new(sender == Alice ? AliceText : BobText, number, new byte[length], sender);

    private static SenderText AliceText { get; } = SenderText.Of(Alice, "alice");

    private static SenderText BobText { get; } = SenderText.Of(Bob, "bob");
}
