using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>The bodies of timed groups: read as written, whatever the bytes, in one form only.</summary>
public sealed class TimedBodyTests
{
    private const ulong Sequence = 1000;

    [Fact]
    public void TheGoldenHeadsAreRead()
    {
        AssertHead("timed-data", 1, TimedSamples.Plain, "hi");
        AssertHead("timed-data-keyed", 1000, TimedSamples.Keyed, "abcd");
        AssertHead("timed-repair", 129, TimedSamples.High, "x");
        byte[] body = Body("timed-repair-partner");
        Assert.Equal(WireSamples.Peer.Key, BitConverter.ToUInt64(body));
        AssertHead(body[sizeof(ulong)..], 129, TimedSamples.OfPartner, "x");
    }

    [Fact]
    public void TheGoldenWordsAreRead()
    {
        Assert.True(TimedNakBody.TryRead(Body("timed-nak"), out TimedNakBody nak));
        Assert.Equal(
            (300u, true, 5_000_000UL, TimeSpan.FromMilliseconds(1.5)), (nak.Group, nak.IsDirect, nak.Probe, nak.Held));
        Assert.Equal([new(10, 11), new(300, 428)], ToArray(nak.Ranges));
        Assert.True(TimedNakBody.TryRead(Body("timed-nak-plain"), out nak));
        Assert.Equal((1u, false, 0UL), (nak.Group, nak.IsDirect, nak.Probe));
        Assert.True(TimedGoneBody.TryRead(Body("timed-gone"), 200, out TimedGoneBody gone));
        Assert.Equal([new(210, 213)], ToArray(gone.Ranges));
        Assert.True(
            TimedStatusBody.TryRead(
                Body("timed-status"), WireSamples.ServerEpoch, Sequence, out TimedStatusBody status));
        Assert.Equal(TimedSamples.Status, status);
        Assert.True(TimedEchoBody.TryRead(Body("timed-echo"), out TimedEchoBody echo));
        Assert.Equal(new TimedEchoBody(300, 5_000_000, TimeSpan.FromMilliseconds(2)), echo);
    }

    [Fact]
    public void AnyBytesAreAHeadOrRefused() => Totality.Check(
        static input =>
        {
            bool isRead = TimedHead.TryRead(
                input, WireSamples.ServerEpoch, Sequence, out TimedHead head, out int length);
            if (!isRead) return false;
            Require(length <= input.Length && head.Index < head.Count && head.Count <= TimedHead.MaxFragments);
            Require(head.Place.First is > 0 and <= Sequence && head.Place.FirstNumber is > 0);
            Require(head.Place.FirstNumber <= head.Number && !head.Place.Step.IsNone);
            Require(head.Life > TimeSpan.Zero && head.Importance <= Importance.High);
            ulong above = Sequence - (ulong)head.Index;
            for (int index = 0; index < head.Replaced.Count; index++)
            {
                TimedReplaced.Entry entry = head.Replaced[index];
                Require(entry.First > 0 && entry.Packets > 0 && entry.First + (ulong)entry.Packets <= above);
                Require(entry.Number > 0 && entry.Number < head.Number);
                above = entry.First;
            }
            return true;
        },
        Body("timed-data-keyed"));

    [Fact]
    public void AnyBytesAreAWordOrRefused()
    {
        Totality.Check(
            static input => TimedNakBody.TryRead(input, out TimedNakBody nak) && Walk(nak.Ranges, above: 0),
            Body("timed-nak"), Body("timed-nak-plain"));
        Totality.Check(
            static input => TimedGoneBody.TryRead(input, 200, out TimedGoneBody gone) && Walk(gone.Ranges, above: 200),
            Body("timed-gone"));
        Totality.Check(
            static input =>
            {
                bool isRead = TimedStatusBody.TryRead(
                    input, WireSamples.ServerEpoch, Sequence, out TimedStatusBody status);
                Require(!isRead || (status.Oldest is > 0 and <= Sequence + 1 && status.RoundTrip >= TimeSpan.Zero));
                return isRead;
            },
            Body("timed-status"));
        Totality.Check(
            static input => TimedEchoBody.TryRead(input, out TimedEchoBody echo) && echo.Probe > 0, Body("timed-echo"));
    }

    [Fact]
    public void EveryBodyHasOneForm()
    {
        Totality.CheckOneForm(
            static bytes =>
            {
                Epoch epoch = WireSamples.ServerEpoch;
                return TimedHead.TryRead(bytes, epoch, Sequence, out TimedHead head, out int length)
                    ? Written((ref WireWriter writer) =>
                    {
                        head.WriteTo(ref writer, epoch, Sequence);
                        writer.WriteBytes(bytes.AsSpan(length));
                    })
                    : null;
            },
            Body("timed-data-keyed"));
        Totality.CheckOneForm(
            static bytes => TimedNakBody.TryRead(bytes, out TimedNakBody nak) ? Again(nak) : null,
            Body("timed-nak"), Body("timed-nak-plain"));
        Totality.CheckOneForm(
            static bytes => TimedGoneBody.TryRead(bytes, 200, out TimedGoneBody gone) ? Again(gone) : null,
            Body("timed-gone"));
        Totality.CheckOneForm(
            static bytes => TimedStatusBody.TryRead(
                bytes, WireSamples.ServerEpoch, Sequence, out TimedStatusBody status)
                ? Written((ref WireWriter writer) => status.WriteTo(ref writer, WireSamples.ServerEpoch, Sequence))
                : null,
            Body("timed-status"));
        Totality.CheckOneForm(
            static bytes => TimedEchoBody.TryRead(bytes, out TimedEchoBody echo) ? Written(echo.WriteTo) : null,
            Body("timed-echo"));
    }

    [Fact]
    public void NoBodyIsLongerThanItsLimit()
    {
        var far = new StepNumber(new Epoch(ulong.MaxValue, 1), ulong.MaxValue);
        var head = new TimedHead
        {
            Group = uint.MaxValue,
            Number = ulong.MaxValue,
            Place = new TimedPlace(far, 2, 2, far with { Counter = ulong.MaxValue - 1 }),
            Index = 1022,
            Count = 1024,
            Age = TimeSpan.FromHours(1),
            Life = TimeSpan.FromHours(1),
            IsKeyed = true,
            Key = ulong.MaxValue,
        };
        ulong first = (1UL << 47) + 1000;
        for (int index = 0; index < TimedReplaced.Max; index++)
        {
            first /= 2;
            head.Replaced.Add(new TimedReplaced.Entry(first, 1024, (1UL << 62) >> index));
        }
        int length = Written(
            (ref WireWriter writer) => head.WriteTo(ref writer, WireSamples.ServerEpoch, (1UL << 48) - 1)).Length;

        Assert.InRange(length, 1, TimedHead.MaxLength);
    }

    [Theory]
    [InlineData(0, 1, 3)]
    [InlineData(0b11_01_10, 1, 2)]
    [InlineData(0b11_01_10, 3, 3)]
    [InlineData(0b11_01_10, 9, 0)]
    public void TheWorthOfEightPacketsBeforeIsRemembered(int before, int distance, int expected)
    {
        ushort worths = before == 0 ? PacketWorth.Push(0, PacketWorth.Replaceable) : (ushort)before;

        Assert.Equal(expected, PacketWorth.At(worths, (ulong)distance));
    }

    private static void AssertHead(string name, ulong sequence, in TimedHead expected, string text) =>
        AssertHead(Body(name), sequence, expected, text);

    private static void AssertHead(byte[] body, ulong sequence, in TimedHead expected, string text)
    {
        Assert.True(
            TimedHead.TryRead(body, WireSamples.ServerEpoch, sequence, out TimedHead head, out int length));
        Assert.Equal(Bytes(expected, sequence), Bytes(head, sequence));
        Assert.Equal((expected.Group, expected.Number, expected.Place), (head.Group, head.Number, head.Place));
        Assert.Equal((expected.Age, expected.Life, expected.Key), (head.Age, head.Life, head.Key));
        Assert.Equal(text, System.Text.Encoding.ASCII.GetString(body.AsSpan(length)));
    }

    private static byte[] Bytes(TimedHead head, ulong sequence) =>
        Written((ref WireWriter writer) => head.WriteTo(ref writer, WireSamples.ServerEpoch, sequence));

    private static byte[] Again(TimedNakBody nak)
    {
        (uint group, bool isDirect, ulong probe, TimeSpan held) = (nak.Group, nak.IsDirect, nak.Probe, nak.Held);
        SequenceRange[] ranges = ToArray(nak.Ranges);
        return Written((ref WireWriter writer) => TimedNakBody.Write(ref writer, group, isDirect, probe, held, ranges));
    }

    private static byte[] Again(TimedGoneBody gone)
    {
        uint group = gone.Group;
        SequenceRange[] ranges = ToArray(gone.Ranges);
        return Written((ref WireWriter writer) => TimedGoneBody.Write(ref writer, group, ranges));
    }

    private static bool Walk(SequenceRangeList ranges, ulong above)
    {
        int count = 0;
        foreach (SequenceRange range in ranges)
        {
            Require(!range.IsEmpty && range.Start > above);
            above = range.End;
            count++;
        }
        return count == ranges.Count;
    }

    private static void Require(bool holds)
    {
        if (!holds) Assert.Fail("what was accepted makes no sense");
    }

    private static byte[] Written(WireSamples.BodyWriter body)
    {
        var bytes = new byte[4096];
        var writer = new WireWriter(bytes);
        body(ref writer);
        return bytes[..writer.Written];
    }

    private static SequenceRange[] ToArray(SequenceRangeList list)
    {
        var ranges = new List<SequenceRange>();
        foreach (SequenceRange range in list) ranges.Add(range);
        return [.. ranges];
    }

    private static byte[] Body(string name) => GoldenFile.Read(name)[DatagramHeader.Length..];
}
