using System.Buffers.Binary;
using System.Numerics;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using QuickSilver.Cli.Recordings;

namespace QuickSilver.Cli.Tests.Recordings;

public sealed class RecordingTests
{
    private static readonly RecordingHeader Header = new(
        new DateTimeOffset(2026, 3, 4, 5, 6, 7, TimeSpan.Zero), "ordered", "bank", "größe");

    private static readonly RecordedItem[] Items =
    [
        Message(0, "alice", 1, "one"),
        Message(10, "bob", 1, ""),
        new(TimeSpan.FromMilliseconds(11), "alice", "10.0.0.5:15001/7", 2, default)
        { IsLoss = true, Lost = 3, Reason = "Overflow" },
        Message(11, "alice", 5, new string('x', 100_000)),
        Message(5_000, "bob", 2, "\u001b"),
    ];

    [Fact]
    public void What_was_written_is_read()
    {
        RecordingReader reader = Open(Write(Items));
        Assert.Equal(Header, reader.Header);
        AssertItems(Items, ReadAll(reader));
        Assert.Equal(RecordingEnd.Whole, reader.End);
        Assert.Equal(4, reader.Messages);
        Assert.Equal(3UL, reader.Lost);
        Assert.Null(EndText.Of(reader));
        Assert.Null(reader.Read());
    }

    [Fact]
    public void A_recording_that_is_cut_anywhere_is_read_up_to_the_cut()
    {
        RecordedItem[] items = [.. Items.Where(static item => item.Payload.Length < 100)];
        byte[] whole = Write(items);
        int header = Write([], complete: false).Length;
        for (int length = 0; length < whole.Length; length++)
        {
            byte[] cut = whole[..length];
            if (length < header)
            {
                Assert.Throws<RecordingFault>(() => Open(cut));
                continue;
            }
            RecordingReader reader = Open(cut);
            List<RecordedItem> read = ReadAll(reader);
            AssertItems(items[..read.Count], read);
            Assert.True(reader.Offset <= length);
            Assert.Equal(
                reader.Offset == length ? RecordingEnd.WithoutEnd : RecordingEnd.CutShort, reader.End);
            Assert.NotNull(EndText.Of(reader));
        }
    }

    [Fact]
    public void A_flipped_bit_is_found_wherever_it_is()
    {
        RecordedItem[] items = [.. Items.Where(static item => item.Payload.Length < 100)];
        byte[] whole = Write(items);
        int header = Write([], complete: false).Length;
        for (int bit = 0; bit < whole.Length * 8; bit++)
        {
            byte[] damaged = [.. whole];
            damaged[bit / 8] ^= (byte)(1 << (bit % 8));
            if (bit / 8 < header)
            {
                Assert.Throws<RecordingFault>(() => Open(damaged));
                continue;
            }
            RecordingReader reader = Open(damaged);
            List<RecordedItem> read = ReadAll(reader);
            AssertItems(items[..read.Count], read);
            Assert.True(reader.End is RecordingEnd.Damaged or RecordingEnd.CutShort, $"bit {bit}: {reader.End}");
            Assert.True(reader.Offset <= bit / 8);
        }
    }

    [Fact]
    public void Another_version_is_refused_by_its_number()
    {
        byte[] whole = Write(Items);
        whole[8] = 2;
        RecordingFault fault = Assert.Throws<RecordingFault>(() => Open(whole));
        Assert.Contains("version 2", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Another_file_is_refused()
    {
        Assert.Throws<RecordingFault>(() => Open([]));
        Assert.Throws<RecordingFault>(() => Open("#!/bin/sh\n# no recording"u8.ToArray()));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    [InlineData(int.MaxValue)]
    [InlineData(RecordingFormat.LongestRecord + 1)]
    public void A_length_that_no_record_has_is_damage(int length)
    {
        RecordingReader reader = Open(WithRecord(length));
        Assert.Null(reader.Read());
        Assert.Equal(RecordingEnd.Damaged, reader.End);
    }

    [Fact]
    public void A_length_that_the_file_does_not_have_takes_no_memory()
    {
        byte[] file = WithRecord(RecordingFormat.LongestRecord);
        long before = GC.GetAllocatedBytesForCurrentThread();
        RecordingReader reader = Open(file);
        Assert.Null(reader.Read());
        Assert.Equal(RecordingEnd.CutShort, reader.End);
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < 1 << 20);
    }

    [Fact]
    public void Zeros_after_the_last_record_are_damage_and_no_messages()
    {
        RecordingReader reader = Open([.. Write(Items, complete: false), .. new byte[5000]]);
        AssertItems(Items, ReadAll(reader));
        Assert.Equal(RecordingEnd.Damaged, reader.End);
    }

    // A right checksum proves no right content.
    [Theory]
    [InlineData("01 0000000000000000 00000000 0100000000000000 61")] // a message of no sender
    [InlineData("02 01000000 0161 0162")] // a sender of a wrong number
    [InlineData("02 00000000 0161 0562")] // a text that is cut
    [InlineData("02 00000000 01FF 0162")] // a text that is no UTF-8
    [InlineData("04 0000000000000000 0700000000000000")] // an end that counts other messages
    [InlineData("04 FFFFFFFFFFFFFFFF 0000000000000000")] // a time before the beginning
    [InlineData("09")]
    public void Content_that_does_not_fit_is_damage(string hex)
    {
        byte[] body = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        RecordingReader reader = Open(WithRecord(body.Length, body));
        Assert.Null(reader.Read());
        Assert.Equal(RecordingEnd.Damaged, reader.End);
    }

    [Fact]
    public void No_bytes_whatever_make_the_reader_throw_anything_else()
    {
        byte[] begin = Write([], complete: false);
        Prop.ForAll<byte[]?>(bytes =>
        {
            RecordingReader reader = Open([.. begin, .. bytes ?? []]);
            ReadAll(reader);
            return reader.End != RecordingEnd.None;
        }).QuickCheckThrowOnFailure();
        Prop.ForAll<byte[]?>(bytes =>
        {
            try
            {
                ReadAll(Open([.. RecordingFormat.Magic, .. bytes ?? []]));
            }
            catch (RecordingFault)
            {
                return true;
            }
            return true;
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void A_time_never_goes_back()
    {
        RecordingReader reader = Open(Write([Message(20, "a", 1, ""), Message(10, "a", 2, "")]));
        Assert.Equal([20, 20], ReadAll(reader).Select(static item => item.Time.TotalMilliseconds));
    }

    [Fact]
    public void What_the_format_does_not_take_is_refused_by_the_writer()
    {
        var stream = new MemoryStream();
        var writer = new RecordingWriter(stream, Header);
        Assert.Throws<ArgumentException>(() => writer.Write(Message(0, new string('n', 256), 1, "")));
        Assert.Throws<ArgumentException>(() => writer.Write(
            new RecordedItem(default, "a", "b", 1, new byte[RecordingFormat.LongestRecord])));
        writer.Write(Message(0, "a", 1, "after"));
        writer.Complete(default);
        Assert.Single(ReadAll(Open(stream.ToArray())));
    }

    private static RecordedItem Message(int milliseconds, string sender, ulong sequence, string text) =>
        new(
            TimeSpan.FromMilliseconds(milliseconds), sender, "10.0.0.5:15001/7", sequence,
            Encoding.UTF8.GetBytes(text));

    private static byte[] Write(RecordedItem[] items, bool complete = true)
    {
        var stream = new MemoryStream();
        var writer = new RecordingWriter(stream, Header);
        foreach (RecordedItem item in items) writer.Write(item);
        if (complete) writer.Complete(TimeSpan.FromSeconds(6));
        writer.Flush();
        Assert.Equal(stream.Length, writer.Bytes);
        return stream.ToArray();
    }

    private static byte[] WithRecord(int length, params byte[] body)
    {
        byte[] start = new byte[RecordingFormat.RecordStart];
        BinaryPrimitives.WriteInt32LittleEndian(start, length);
        BinaryPrimitives.WriteUInt32LittleEndian(start.AsSpan(4), Checksum([.. start[..4], .. body]));
        return [.. Write([], complete: false), .. start, .. body];
    }

    // The page's words, and not the code that is tested.
    private static uint Checksum(byte[] bytes) =>
        ~bytes.Aggregate(~0u, static (sum, value) => BitOperations.Crc32C(sum, value));

    private static RecordingReader Open(byte[] bytes) => RecordingReader.Open(new MemoryStream(bytes));

    private static List<RecordedItem> ReadAll(RecordingReader reader)
    {
        var items = new List<RecordedItem>();
        while (reader.Read() is { } item) items.Add(item);
        return items;
    }

    private static void AssertItems(IReadOnlyList<RecordedItem> expected, IReadOnlyList<RecordedItem> read)
    {
        Assert.Equal(expected.Count, read.Count);
        for (int index = 0; index < read.Count; index++)
        {
            Assert.Equal(expected[index] with { Payload = default }, read[index] with { Payload = default });
            Assert.True(expected[index].Payload.Span.SequenceEqual(read[index].Payload.Span));
        }
    }
}
