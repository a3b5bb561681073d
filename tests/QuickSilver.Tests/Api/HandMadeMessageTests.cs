using System.Net;

namespace QuickSilver.Tests.Api;

/// <summary>Applications test the code that handles messages without a node: messages can be made by hand.</summary>
public sealed class HandMadeMessageTests
{
    private static readonly MemberId Sender = new(IPEndPoint.Parse("10.0.0.5:15001"), 7);

    [Fact]
    public void A_message_says_what_it_was_made_of()
    {
        var message = new Message("hello"u8.ToArray(), Sender, "feeder", 17, "prices");
        Assert.Equal("hello", message.GetString());
        Assert.Equal(
            ("10.0.0.5:15001/7", "feeder", 17UL, "prices"),
            (message.Sender.ToString(), message.SenderName, message.Sequence, message.GroupName));
        Assert.Equal("prices 17 of feeder, 5 bytes", message.ToString());
        Assert.Null(message.Group);
        Assert.Equal(1UL, new Message("x"u8.ToArray()).Sequence);
    }

    [Fact]
    public void A_handler_is_tested_with_a_message_and_a_key_selector_too()
    {
        long bytes = 0;
        MessageHandler handler = (in message) => bytes += message.Payload.Length;
        KeySelector key = static (in message) => message.Payload[0];
        var message = new MessageRef("abc"u8, Sender, "feeder", 3, "prices");
        handler(message);
        Assert.Equal(3, bytes);
        Assert.Equal((ulong)'a', key(message));
        Message copy = message.ToMessage();
        Assert.Equal(("abc", 3UL, "prices"), (copy.GetString(), copy.Sequence, copy.GroupName));
    }

    [Fact]
    public void A_batch_holds_its_messages_in_order()
    {
        var batch = new MessageBatch("aabbcc"u8, 2, Sender, "feeder", 5, "prices");
        Assert.Equal((3, 2, 5UL, "prices"), (batch.Count, batch.Length, batch.FirstSequence, batch.GroupName));
        var texts = new List<string>();
        foreach (MessageRef message in batch) texts.Add($"{message.Sequence}:{message.GetString()}");
        Assert.Equal(["5:aa", "6:bb", "7:cc"], texts);
        Assert.Throws<ArgumentException>(() => new MessageBatch("abc"u8, 2).Count);
        Assert.Throws<ArgumentException>(() => new MessageBatch(default, 2).Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => new MessageBatch("abc"u8, 0).Count);
    }

    [Fact]
    public void A_member_id_is_made_of_an_address_and_read_from_its_text()
    {
        Assert.Equal(Sender, MemberId.Parse("10.0.0.5:15001/7"));
        Assert.False(MemberId.TryParse("10.0.0.5:15001", out _));
        Assert.Throws<FormatException>(() => MemberId.Parse("nobody"));
        var far = new MemberId(new IPEndPoint(IPAddress.Parse("fd00::5"), 15_001), 7);
        Assert.Equal("[fd00::5]:15001/7", far.ToString());
        Assert.Equal(far, MemberId.Parse("[fd00::5]:15001/7"));
        Assert.Equal(new IPEndPoint(IPAddress.Parse("fd00::5"), 15_001), far.Address);
        Assert.False(MemberId.TryParse("[FD00::5]:15001/7", out _));
        Assert.Equal(Sender, new MemberId(new IPEndPoint(IPAddress.Parse("::ffff:10.0.0.5"), 15_001), 7));
    }
}
