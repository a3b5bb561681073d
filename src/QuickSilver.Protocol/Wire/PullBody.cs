namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.Pull"/>: packets of one partition that the asker requests from a member of that
/// partition. Of a removed sender's stream, packets of any partition from a member that holds them. The header's sender
/// is the asker; the body names the stream. Of each range only the sequences of the partition are meant.
/// <code>
/// stream      8 bytes  NodeNumber.Key of the stream's sender
/// partition   varint   the partition; the number of partitions: all of them
/// longest     varint   the longest datagram that reaches the asker, at most 65,493; 0: all do, as far as it knows
/// ranges      SequenceRangeList, at most 64
/// </code>
/// </summary>
internal readonly ref struct PullBody
{
    /// <summary>Limit on the ranges in one pull.</summary>
    public const int MaxRanges = 64;

    /// <summary>The longest body.</summary>
    public const int MaxLength = MaxFixedLength + (MaxRanges * 20);

    /// <summary>Upper bound of the bytes in addition to the ranges.</summary>
    internal const int MaxFixedLength = 8 + 5 + 3 + 10;

    /// <summary><see cref="NodeNumber.Key"/> of the stream's sender.</summary>
    public ulong Stream { get; private init; }

    /// <summary>The partition whose packets are meant; the number of partitions: all packets of the ranges.</summary>
    public int Partition { get; private init; }

    /// <summary>The longest datagram that reaches the asker; 0: no limit.</summary>
    public int Longest { get; private init; }

    /// <summary>The requested packets.</summary>
    public SequenceRangeList Ranges { get; private init; }

    /// <summary>Writes a body.</summary>
    public static void Write(
        ref WireWriter writer, ulong stream, int partition, int longest, scoped ReadOnlySpan<SequenceRange> ranges)
    {
        writer.WriteUInt64(stream);
        writer.WriteVarint((ulong)partition);
        writer.WriteVarint((ulong)longest);
        SequenceRangeList.Write(ref writer, ranges);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out PullBody pull)
    {
        var reader = new WireReader(body);
        ulong stream = reader.ReadUInt64();
        int partition = (int)reader.ReadVarint(1 << 20);
        int longest = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
        SequenceRangeList ranges = SequenceRangeList.Read(ref reader, MaxRanges);
        pull = new PullBody { Stream = stream, Partition = partition, Longest = longest, Ranges = ranges };
        return reader.IsAtEnd && ranges.Count > 0;
    }
}
