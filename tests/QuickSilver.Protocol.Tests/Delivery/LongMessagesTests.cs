using System.Text;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>Pieces become long messages, and each long message has one end.</summary>
public sealed class LongMessagesTests
{
    private readonly BufferPool _pool = new();
    private readonly DeliveryCounters _counters = new(new RejectCounters());
    private readonly List<string> _log = [];
    private readonly HashSet<string> _members = ["n1", "n2"];
    private readonly LongMessages _all;
    private readonly NodeInfo _one = Node(1);
    private readonly NodeInfo _two = Node(2);
    private bool _isWanted = true;

    public LongMessagesTests() => _all = new LongMessages(
        (sender, number) =>
        {
            _log.Add($"{sender.Name} begins at {number}");
            return _isWanted ? new Sink(_log, sender.Name) : null;
        },
        node => _members.Contains(node.Name),
        _counters);

    [Fact]
    public void Parts_are_put_behind_one_another_and_messages_may_mingle()
    {
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        Take(_one, 6, id: 2, offset: 0, "x", isFirst: true);
        Take(_two, 1, id: 1, offset: 0, "", isFirst: true);
        Take(_one, 8, id: 1, offset: 2, "cde");
        Take(_one, 9, id: 2, offset: 1, "y", isLast: true);
        Take(_two, 2, id: 1, offset: 0, "", isLast: true);
        Take(_one, 10, id: 1, offset: 5, "", isLast: true);
        Assert.Equal(
            [
                "n1 begins at 5", "n1: ab", "n1 begins at 6", "n1: x", "n2 begins at 1", "n1: cde", "n1: y",
                "n1 ends: Complete", "n2 ends: Complete", "n1 ends: Complete",
            ],
            _log);
        Assert.Equal(0, _all.Count);
    }

    [Fact]
    public void One_part_may_be_all_of_it_and_empty()
    {
        Take(_one, 1, id: 7, offset: 0, "", isFirst: true, isLast: true);
        Assert.Equal(["n1 begins at 1", "n1 ends: Complete"], _log);
        Assert.Equal(0, _all.Count);
    }

    [Fact]
    public void Parts_without_the_first_are_passed_over()
    {
        Take(_one, 5, id: 1, offset: 2, "cde");
        Take(_one, 6, id: 1, offset: 5, "", isLast: true);
        GiveUp(_one, id: 1);
        Assert.Empty(_log);
    }

    [Fact]
    public void A_missing_part_breaks_the_message()
    {
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        Take(_one, 7, id: 1, offset: 4, "ef", isLast: true);
        Take(_one, 8, id: 1, offset: 6, "gh", isLast: true);
        Assert.Equal(["n1 begins at 5", "n1: ab", "n1 ends: Broken"], _log);
    }

    [Fact]
    public void A_second_first_part_breaks_the_message()
    {
        Take(_one, 5, id: 1, offset: 0, "", isFirst: true);
        Take(_one, 6, id: 1, offset: 0, "ab", isFirst: true, isLast: true);
        Assert.Equal(["n1 begins at 5", "n1 ends: Broken"], _log);
    }

    [Fact]
    public void What_the_sender_gives_up_ends()
    {
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        GiveUp(_one, id: 1);
        GiveUp(_one, id: 1);
        Assert.Equal(["n1 begins at 5", "n1: ab", "n1 ends: GivenUp"], _log);
        Assert.Equal((0UL, 1UL, 0UL), (_counters.LongComplete, _counters.LongGivenUp, _counters.LongCut));
    }

    [Fact]
    public void A_removed_sender_ends_when_nothing_of_it_follows()
    {
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        Take(_two, 5, id: 1, offset: 0, "yz", isFirst: true);
        _members.Remove("n1");
        _one.IsRemoved = true;
        _all.OnViewChanged();
        Take(_one, 6, id: 1, offset: 2, "cd");
        Take(_one, 7, id: 2, offset: 0, "late", isFirst: true);
        _all.OnSenderClosed(_one);
        Assert.Equal(
            [
                "n1 begins at 5", "n1: ab", "n2 begins at 5", "n2: yz", "n1: cd", "n1 begins at 7", "n1: late",
                "n1 ends: SenderGone", "n1 ends: SenderGone",
            ],
            _log);
        Assert.Equal(1, _all.Count);
    }

    [Fact]
    public void A_sender_that_leaves_the_group_ends_with_the_view_and_begins_nothing()
    {
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        _all.OnViewChanged();
        _members.Remove("n1");
        _all.OnViewChanged();
        Take(_one, 6, id: 1, offset: 2, "", isLast: true);
        Take(_one, 7, id: 2, offset: 0, "", isFirst: true, isLast: true);
        Assert.Equal(["n1 begins at 5", "n1: ab", "n1 ends: SenderGone"], _log);
    }

    [Fact]
    public void The_end_of_the_session_ends_all()
    {
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        _all.Close();
        Assert.Equal(["n1 begins at 5", "n1: ab", "n1 ends: Left"], _log);
        Assert.Equal(0, _all.Count);
    }

    [Fact]
    public void What_nobody_wants_or_wants_no_longer_is_passed_over()
    {
        _isWanted = false;
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        Take(_one, 6, id: 1, offset: 2, "cd", isLast: true);
        _isWanted = true;
        Take(_one, 7, id: 2, offset: 0, "ab", isFirst: true);
        Take(_one, 8, id: 2, offset: 2, Sink.Refused);
        Take(_one, 9, id: 2, offset: 2 + (ulong)Sink.Refused.Length, "", isLast: true);
        Assert.Equal(
            ["n1 begins at 5", "n1 begins at 7", "n1: ab", $"n1: {Sink.Refused}"], _log);
        Assert.Equal(0, _all.Count);
    }

    [Fact]
    public void A_sender_has_a_bounded_number_under_way()
    {
        for (ulong id = 1; id <= LongMessages.MaxOpenPerSender + 3; id++)
            Take(_one, id, id, offset: 0, "", isFirst: true);
        Take(_two, 1, id: 1, offset: 0, "", isFirst: true);
        Assert.Equal(LongMessages.MaxOpenPerSender + 1, _all.Count);
        Assert.Equal(3UL, _counters.Rejected[RejectReason.NoRoom]);
        Take(_one, 1000, id: 1, offset: 0, "", isLast: true);
        Take(_one, 1001, id: 5000, offset: 0, "", isFirst: true);
        Assert.Equal(LongMessages.MaxOpenPerSender + 1, _all.Count);
    }

    [Theory]
    [InlineData("")]
    [InlineData("01")]
    [InlineData("010000")]
    [InlineData("010101")]
    [InlineData("000101")]
    [InlineData("04010061")]
    [InlineData("060100")]
    [InlineData("080100")]
    public void A_malformed_part_is_counted_and_changes_nothing(string hex)
    {
        Take(_one, 5, id: 1, offset: 0, "ab", isFirst: true);
        Take(_one, 6, Convert.FromHexString(hex));
        Take(_one, 7, id: 1, offset: 2, "", isLast: true);
        Assert.Equal(1UL, _counters.Rejected[RejectReason.BadPiece]);
        Assert.Equal(["n1 begins at 5", "n1: ab", "n1 ends: Complete"], _log);
    }

    [Fact]
    public void APieceAllocatesNothing()
    {
        var sink = new CountingSink();
        var all = new LongMessages((_, _) => sink, _ => true, _counters);
        Chunk chunk = _pool.Rent(100, BufferOwner.Cache);
        ulong sent = 0;
        TakeNext();
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int index = 0; index < 1_000; index++) TakeNext();
        }));
        Assert.Equal(sent, sink.Bytes);
        chunk.Release();

        void TakeNext()
        {
            var writer = new WireWriter(chunk.GetSpan());
            MessagePiece.WriteHead(ref writer, 1, sent, isFirst: sent == 0, isLast: false);
            writer.WriteByte(7);
            all.OnPiece(_one, DeliveryBatch.OfPiece(++sent, new Slice(chunk, 0, writer.Written)));
        }
    }

    [Fact]
    public void A_publisher_is_in_no_view_and_its_long_messages_end_by_its_word_or_its_removal()
    {
        _members.Remove("n1");
        Take(_one, 1, id: 1, offset: 0, "ab", isFirst: true, isPublished: true);
        Take(_one, 2, id: 2, offset: 0, "x", isFirst: true, isPublished: true);
        _all.OnViewChanged();
        GiveUp(_one, 1);
        _all.OnSenderClosed(_one);
        Assert.Equal(
            ["n1 begins at 1", "n1: ab", "n1 begins at 2", "n1: x", "n1 ends: GivenUp", "n1 ends: SenderGone"], _log);
        Take(_one, 3, id: 3, offset: 0, "c", isFirst: true);
        Assert.Equal(0, _all.Count);
    }

    private void Take(
        NodeInfo sender, ulong number, ulong id, ulong offset, string text, bool isFirst = false, bool isLast = false,
        bool isPublished = false)
    {
        var bytes = new byte[MessagePiece.MaxHeadLength + text.Length];
        var writer = new WireWriter(bytes);
        MessagePiece.WriteHead(ref writer, id, offset, isFirst, isLast, isPublished);
        writer.WriteBytes(Encoding.ASCII.GetBytes(text));
        Take(sender, number, bytes[..writer.Written]);
    }

    private void GiveUp(NodeInfo sender, ulong id)
    {
        var bytes = new byte[MessagePiece.MaxHeadLength];
        var writer = new WireWriter(bytes);
        MessagePiece.WriteGivenUp(ref writer, id, 2);
        Take(sender, 99, bytes[..writer.Written]);
    }

    private void Take(NodeInfo sender, ulong number, byte[] bytes)
    {
        Chunk chunk = _pool.Rent(Math.Max(1, bytes.Length), BufferOwner.Cache);
        bytes.CopyTo(chunk.GetSpan());
        _all.OnPiece(sender, DeliveryBatch.OfPiece(number, new Slice(chunk, 0, bytes.Length)));
        chunk.Release();
    }

    private sealed class CountingSink : ILongMessageSink
    {
        public ulong Bytes { get; private set; }

        public bool OnBytes(in Slice bytes)
        {
            Bytes += (ulong)bytes.Length;
            return true;
        }

        public void OnEnded(LongMessageEnd end) => Assert.Fail("it has no end");
    }

    private sealed class Sink(List<string> log, string sender) : ILongMessageSink
    {
        public const string Refused = "enough";

        public bool OnBytes(in Slice bytes)
        {
            string text = Encoding.ASCII.GetString(bytes.Span);
            log.Add($"{sender}: {text}");
            return text != Refused;
        }

        public void OnEnded(LongMessageEnd end) => log.Add($"{sender} ends: {end}");
    }
}
