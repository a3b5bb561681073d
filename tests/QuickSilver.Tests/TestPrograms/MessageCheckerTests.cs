using System.Text;
using QuickSilver.TestPrograms;

namespace QuickSilver.Tests.TestPrograms;

public sealed class MessageCheckerTests
{
    private readonly MessageChecker _checker = new(expected: 4);

    [Fact]
    public void Good_messages_of_several_groups_complete_the_expected_number()
    {
        Assert.Equal(CheckFault.None, Check("a", 1, Payload("a", 1)));
        Assert.Equal(CheckFault.None, Check("b", 1, Payload("b", 1)));
        Assert.Equal(CheckFault.None, Check("a", 2, Payload("a", 2)));
        Assert.False(_checker.Complete.IsCompleted);
        Assert.Equal(CheckFault.None, Check("b", 2, Payload("b", 2)));
        Assert.True(_checker.Complete.IsCompleted);
        CheckReport report = _checker.Report();
        Assert.True(report.IsFaultless);
        Assert.Equal(
            [new StreamReport("pub", "a", 1, 2, 2, 128), new StreamReport("pub", "b", 1, 2, 2, 128)], report.Streams);
        Assert.Equal(4, report.Latency!.Count);
    }

    [Fact]
    public void A_late_joiner_starts_anywhere_and_then_sees_every_number()
    {
        Assert.Equal(CheckFault.None, Check("a", 17, Payload("a", 17)));
        Assert.Equal(CheckFault.None, Check("a", 18, Payload("a", 18)));
        Assert.Equal(CheckFault.Gap, Check("a", 21, Payload("a", 21)));
        Assert.Equal(2, _checker.Report().Missing);
        Assert.True(_checker.Failed.IsCompleted);
    }

    [Fact]
    public void A_repeated_or_late_message_is_out_of_order()
    {
        Check("a", 1, Payload("a", 1));
        Check("a", 2, Payload("a", 2));
        Assert.Equal(CheckFault.OutOfOrder, Check("a", 2, Payload("a", 2)));
        Assert.Equal(CheckFault.OutOfOrder, Check("a", 1, Payload("a", 1)));
        Assert.Equal(CheckFault.None, Check("a", 3, Payload("a", 3)));
    }

    [Fact]
    public void An_index_out_of_step_with_the_sequence_is_out_of_order()
    {
        Check("a", 5, Payload("a", 1));
        Assert.Equal(CheckFault.None, Check("a", 6, Payload("a", 2)));
        Assert.Equal(CheckFault.OutOfOrder, Check("a", 7, Payload("a", 4)));
    }

    [Fact]
    public void A_message_of_another_group_or_publisher_is_found()
    {
        Assert.Equal(CheckFault.WrongGroup, Check("a", 1, Payload("b", 1)));
        Assert.Equal(CheckFault.WrongPublisher, Check("c", 1, Payload("c", 1, publisher: "somebody")));
    }

    [Fact]
    public void Damage_is_found_also_where_it_hides_that_the_payload_was_generated()
    {
        Check("a", 1, Payload("a", 1));
        byte[] flipped = Payload("a", 2);
        flipped[^1] ^= 1;
        Assert.Equal(CheckFault.Damaged, Check("a", 2, flipped));
        Assert.Equal(CheckFault.Damaged, Check("a", 3, "no longer a generated payload"u8.ToArray()));
        Assert.Equal("Damaged: message 2 of pub in a, 64 bytes", _checker.FirstFault);
    }

    [Fact]
    public void Plain_text_is_checked_for_order_only()
    {
        Assert.Equal(CheckFault.None, Check("a", 1, "hello"u8.ToArray()));
        Assert.Equal(CheckFault.None, Check("a", 2, "world"u8.ToArray()));
        Assert.Equal(CheckFault.Gap, Check("a", 4, "!"u8.ToArray()));
    }

    private CheckFault Check(string group, ulong sequence, byte[] payload) =>
        _checker.Check(default, "pub", group, sequence, payload);

    private static byte[] Payload(string group, ulong index, string publisher = "pub")
    {
        byte[] payload = new byte[64];
        GeneratedPayload.Write(payload, Encoding.UTF8.GetBytes(publisher), Encoding.UTF8.GetBytes(group), index, 0);
        return payload;
    }
}
