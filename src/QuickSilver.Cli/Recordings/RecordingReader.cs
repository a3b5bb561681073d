using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Cli.Recordings;

/// <summary>
/// Reads a recording from its beginning. A file may be anybody's: a length that the file does not have costs no memory,
/// and no content throws but a header that is none. Reads up to the first place that is cut or damaged, and says which
/// of the two. Not thread-safe.
/// </summary>
internal sealed class RecordingReader
{
    // Memory grows with what is there, not with what a length promises.
    private const int Step = 1 << 16;

    private readonly Stream _stream;
    private readonly List<(string Name, string Id)> _senders = [];
    private byte[] _buffer = new byte[Step];
    private long _last;

    private RecordingReader(Stream stream, RecordingHeader header, long offset)
    {
        _stream = stream;
        Header = header;
        Offset = offset;
    }

    /// <summary>What the recording says of itself.</summary>
    public RecordingHeader Header { get; }

    /// <summary>How the reading has ended.</summary>
    public RecordingEnd End { get; private set; }

    /// <summary>Where the first record begins that was not read.</summary>
    public long Offset { get; private set; }

    /// <summary>The messages read so far, and the long ones that are whole.</summary>
    public long Messages { get; private set; }

    /// <summary>The messages that were lost on their way to the recorder, as far as known.</summary>
    public ulong Lost { get; private set; }

    /// <summary>Reads the header of a recording.</summary>
    /// <param name="stream">The bytes; the caller closes it.</param>
    /// <exception cref="RecordingFault">It is no recording, one of another version, or its header is cut or
    /// damaged.</exception>
    public static RecordingReader Open(Stream stream)
    {
        byte[] start = new byte[RecordingFormat.HeaderStart];
        int count = stream.ReadAtLeast(start, start.Length, throwOnEndOfStream: false);
        ReadOnlySpan<byte> magic = RecordingFormat.Magic;
        if (!start.AsSpan(0, Math.Min(count, magic.Length)).SequenceEqual(magic[..Math.Min(count, magic.Length)]))
            throw new RecordingFault("The file is no recording of quicksilver.");
        if (count < start.Length) throw new RecordingFault("The recording is cut within its header.");
        int version = BinaryPrimitives.ReadUInt16LittleEndian(start.AsSpan(8));
        if (version != RecordingFormat.Version)
        {
            throw new RecordingFault(
                $"The recording has version {version}, and this program reads version {RecordingFormat.Version}.");
        }
        int length = BinaryPrimitives.ReadUInt16LittleEndian(start.AsSpan(10));
        if (length > RecordingFormat.LongestHeader) throw new RecordingFault("The recording's header is damaged.");
        byte[] rest = new byte[length + RecordingFormat.Checksum];
        if (stream.ReadAtLeast(rest, rest.Length, throwOnEndOfStream: false) < rest.Length)
            throw new RecordingFault("The recording is cut within its header.");
        uint checksum = BinaryPrimitives.ReadUInt32LittleEndian(rest.AsSpan(length));
        var fields = new FieldReader(rest.AsSpan(0, length));
        long ticks = (long)fields.UInt64();
        (string mode, string cluster, string group) = (fields.Text(), fields.Text(), fields.Text());
        bool isDamaged = checksum != Crc32C.Of(start, rest.AsSpan(0, length)) || !fields.IsWhole
            || ticks < 0 || ticks > DateTimeOffset.MaxValue.Ticks;
        if (isDamaged) throw new RecordingFault("The recording's header is damaged.");
        var header = new RecordingHeader(new DateTimeOffset(ticks, TimeSpan.Zero), mode, cluster, group);
        return new RecordingReader(stream, header, start.Length + rest.Length);
    }

    /// <summary>Reads the next message, piece of a long one, or loss.</summary>
    /// <returns>Null at the end, which <see cref="End"/> explains from then on. The payload is the caller's.</returns>
    public RecordedItem? Read()
    {
        while (End == RecordingEnd.None)
        {
            if (ReadBody() is not { } body) return null;
            (RecordedItem? item, bool isFit) = Take(body.Span);
            if (!isFit)
            {
                End = RecordingEnd.Damaged;
                return null;
            }
            Offset += RecordingFormat.RecordStart + body.Length;
            if (item is null) continue;
            if (item.IsLoss) Lost += item.Lost;
            else if (item.Part is null or LongPart.Last) Messages++;
            return item;
        }
        return null;
    }

    // The next body whose checksum is right.
    private ReadOnlyMemory<byte>? ReadBody()
    {
        Span<byte> start = stackalloc byte[RecordingFormat.RecordStart];
        int count = _stream.ReadAtLeast(start, start.Length, throwOnEndOfStream: false);
        if (count < start.Length)
        {
            End = count == 0 ? RecordingEnd.WithoutEnd : RecordingEnd.CutShort;
            return null;
        }
        int length = BinaryPrimitives.ReadInt32LittleEndian(start);
        if (length is < 1 or > RecordingFormat.LongestRecord)
        {
            End = RecordingEnd.Damaged;
            return null;
        }
        for (int have = 0; have < length;)
        {
            int step = Math.Min(Step, length - have);
            if (_buffer.Length < have + step)
                Array.Resize(ref _buffer, Math.Min(length, Math.Max(2 * _buffer.Length, have + step)));
            int read = _stream.ReadAtLeast(_buffer.AsSpan(have, step), step, throwOnEndOfStream: false);
            have += read;
            if (read == step) continue;
            End = RecordingEnd.CutShort;
            return null;
        }
        ReadOnlyMemory<byte> body = _buffer.AsMemory(0, length);
        if (BinaryPrimitives.ReadUInt32LittleEndian(start[4..]) == Crc32C.Of(start[..4], body.Span)) return body;
        End = RecordingEnd.Damaged;
        return null;
    }

    // No item for a sender and for the end.
    private (RecordedItem? Item, bool IsFit) Take(ReadOnlySpan<byte> body)
    {
        var fields = new FieldReader(body);
        switch ((RecordKind)fields.Byte())
        {
            case RecordKind.Sender:
                uint number = fields.UInt32();
                _senders.Add((fields.Text(), fields.Text()));
                return (null, fields is { IsWhole: true, Left: 0 } && number == _senders.Count - 1);
            case RecordKind.End:
                bool isFit = TryTakeTime(ref fields, out _) && (long)fields.UInt64() == Messages;
                if (isFit) End = RecordingEnd.Whole;
                return (null, isFit && fields is { IsWhole: true, Left: 0 });
            case RecordKind.Message:
            case RecordKind.Long:
            case RecordKind.Loss:
                return TakeItem(ref fields, body, (RecordKind)body[0]);
            default:
                return (null, false);
        }
    }

    private (RecordedItem? Item, bool IsFit) TakeItem(ref FieldReader fields, ReadOnlySpan<byte> body, RecordKind kind)
    {
        bool isFit = TryTakeTime(ref fields, out TimeSpan time);
        uint sender = fields.UInt32();
        ulong sequence = fields.UInt64();
        if (!isFit || !fields.IsWhole || sender >= _senders.Count) return (null, false);
        (string name, string id) = _senders[(int)sender];
        if (kind == RecordKind.Message)
            return (new RecordedItem(time, name, id, sequence, body[^fields.Left..].ToArray()), true);
        if (kind == RecordKind.Long)
        {
            var part = (LongPart)fields.Byte();
            var piece = new RecordedItem(time, name, id, sequence, body[^fields.Left..].ToArray()) { Part = part };
            return (piece, fields.IsWhole && Enum.IsDefined(part));
        }
        var lost = new RecordedItem(time, name, id, sequence, default)
        {
            IsLoss = true,
            Lost = fields.UInt64(),
            Reason = fields.Text(),
        };
        return (lost, fields is { IsWhole: true, Left: 0 });
    }

    // Never negative, and never before the record before.
    private bool TryTakeTime(ref FieldReader fields, out TimeSpan time)
    {
        long ticks = (long)fields.UInt64();
        time = TimeSpan.FromTicks(ticks);
        if (!fields.IsWhole || ticks < _last) return false;
        _last = ticks;
        return true;
    }
}
