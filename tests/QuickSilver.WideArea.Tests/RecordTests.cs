using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Records;
using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea.Tests;

/// <summary>Messages as they are packed into records.</summary>
public sealed class RecordTests
{
    private const ulong Check = 77;
    private const int Capacity = 1200;

    private static readonly SenderText Alice = new("10.0.0.1:15000/1"u8.ToArray(), "alice"u8.ToArray());
    private static readonly SenderText Bob = new("10.0.0.2:15000/1"u8.ToArray(), "bob"u8.ToArray());

    [Fact]
    public void What_is_packed_is_read()
    {
        var random = new Random(1);
        var packer = new RecordPacker(Check, Capacity);
        var reader = new RecordReader(Check, 1 << 20);
        var sent = new List<OutgoingMessage>();
        var read = new List<IncomingMessage>();
        for (int index = 0; index < 500; index++)
        {
            var payload = new byte[random.Next(4) == 0 ? random.Next(10_000) : random.Next(300)];
            random.NextBytes(payload);
            var message = new OutgoingMessage(random.Next(2) == 0 ? Alice : Bob, (ulong)index + 1, payload);
            sent.Add(message);
            packer.Begin(message);
            while (!packer.Pack()) Read();
            if (random.Next(10) == 0) Read();
        }
        if (packer.HasRecord) Read();
        Assert.Equal(sent.Count, read.Count);
        for (int index = 0; index < sent.Count; index++)
        {
            Assert.Equal(sent[index].Sender.Id, read[index].Sender.Id);
            Assert.Equal(sent[index].Sender.Name, read[index].Sender.Name);
            Assert.Equal(sent[index].Sequence, read[index].Sequence);
            Assert.Equal(sent[index].Payload.ToArray(), read[index].Payload);
        }

        void Read()
        {
            ReadOnlyMemory<byte> record = packer.Take();
            Assert.InRange(record.Length, 9, Capacity);
            Assert.Equal(RejectReason.None, reader.Read(record.Span, read));
        }
    }

    [Fact]
    public void A_message_whose_records_are_missing_is_given_up_and_the_next_is_read()
    {
        var packer = new RecordPacker(Check, Capacity);
        var reader = new RecordReader(Check, 1 << 20);
        var read = new List<IncomingMessage>();
        packer.Begin(new OutgoingMessage(Alice, 1, new byte[5000]));
        var records = new List<ReadOnlyMemory<byte>>();
        while (!packer.Pack()) records.Add(packer.Take());
        packer.Begin(new OutgoingMessage(Alice, 2, new byte[10]));
        Assert.True(packer.Pack());
        records.Add(packer.Take());
        Assert.Equal(RejectReason.None, reader.Read(records[0].Span, read));
        Assert.True(reader.Forget());
        for (int index = 2; index < records.Count; index++)
            Assert.Equal(RejectReason.None, reader.Read(records[index].Span, read));
        Assert.Equal(2UL, Assert.Single(read).Sequence);
    }

    [Fact]
    public void Malformed_records_are_refused_and_throw_nothing()
    {
        var random = new Random(2);
        var packer = new RecordPacker(Check, Capacity);
        packer.Begin(new OutgoingMessage(Alice, 1, new byte[100]));
        packer.Pack();
        packer.Begin(new OutgoingMessage(Alice, 2, new byte[3000]));
        packer.Pack();
        byte[] good = packer.Take().ToArray();
        var read = new List<IncomingMessage>();
        Assert.Equal(RejectReason.WrongCluster, new RecordReader(Check + 1, 1 << 20).Read(good, read));
        int refused = 0;
        for (int run = 0; run < 20_000; run++)
        {
            byte[] bad = good[..random.Next(good.Length + 1)];
            for (int change = random.Next(4); change > 0 && bad.Length > 0; change--)
                bad[random.Next(Math.Min(bad.Length, 80))] = (byte)random.Next(256);
            if (new RecordReader(Check, 1 << 20).Read(bad, read) != RejectReason.None) refused++;
        }
        Assert.True(refused > 10_000);
        Assert.All(read, static message => Assert.InRange(message.Payload.Length, 0, Capacity));
    }

    [Fact]
    public void A_message_that_says_it_is_too_long_is_refused()
    {
        var packer = new RecordPacker(Check, Capacity);
        packer.Begin(new OutgoingMessage(Alice, 1, new byte[5000]));
        packer.Pack();
        Assert.Equal(RejectReason.Malformed, new RecordReader(Check, 4999).Read(packer.Take().Span, []));
    }

    [Fact]
    public void Origins_are_written_and_read()
    {
        var id = MemberId.Parse("10.0.0.1:15000/3");
        var message = new IncomingMessage(SenderText.Of(id, "alice"), 9, [1, 2, 3]);
        byte[] bytes = SiteMessage.Write("tokyo", message);
        Assert.Equal([1, 2, 3], SiteMessage.Read(bytes, out SiteOrigin? origin).ToArray());
        Assert.Equal(new SiteOrigin("tokyo", id, "alice", 9), origin);
        for (int length = 0; length < bytes.Length - 4; length++)
        {
            Assert.Equal(length, SiteMessage.Read(bytes.AsMemory(0, length), out origin).Length);
            Assert.Null(origin);
        }
    }

    [Fact]
    public void Pressure_is_written_and_read()
    {
        byte[] bytes = PressureBody.Write([("prices", "tokyo"), ("news", "oslo")]);
        Assert.True(PressureBody.TryRead(bytes, out Dictionary<string, string> held));
        Assert.Equal("tokyo", held["prices"]);
        Assert.Equal("oslo", held["news"]);
        for (int length = 0; length < bytes.Length; length++)
            Assert.False(PressureBody.TryRead(bytes.AsSpan(0, length), out _));
    }
}
