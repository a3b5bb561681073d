using System.Buffers;
using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Cli.Recordings;

/// <summary>
/// Writes a recording. Not thread-safe. Records gather in memory until <see cref="Flush"/> hands them to the stream,
/// whole; a process that is killed loses what was gathered since. Allocates for new senders, and until its buffers have
/// the size of the longest burst.
/// </summary>
internal sealed class RecordingWriter
{
    private readonly Stream _stream;
    private readonly ArrayBufferWriter<byte> _waiting = new(1 << 16);
    private readonly FieldWriter _body = new();
    private readonly Dictionary<(string Id, string Name), uint> _senders = [];
    private long _last;
    private long _flushed;

    /// <summary>Begins a recording: writes its header, and flushes it.</summary>
    /// <param name="stream">Takes the bytes; the caller closes it.</param>
    /// <param name="header">What the recording says of itself.</param>
    public RecordingWriter(Stream stream, RecordingHeader header)
    {
        _stream = stream;
        _body.Clear().UInt64((ulong)header.Start.UtcTicks).Text(header.Mode).Text(header.Cluster).Text(header.Group);
        Span<byte> start = stackalloc byte[RecordingFormat.HeaderStart];
        RecordingFormat.Magic.CopyTo(start);
        BinaryPrimitives.WriteUInt16LittleEndian(start[8..], RecordingFormat.Version);
        BinaryPrimitives.WriteUInt16LittleEndian(start[10..], (ushort)_body.Written.Length);
        _waiting.Write(start);
        _waiting.Write(_body.Written);
        Span<byte> checksum = stackalloc byte[RecordingFormat.Checksum];
        BinaryPrimitives.WriteUInt32LittleEndian(checksum, Crc32C.Of(start, _body.Written));
        _waiting.Write(checksum);
        Flush();
    }

    /// <summary>The bytes written so far, those that wait included.</summary>
    public long Bytes => _flushed + _waiting.WrittenCount;

    /// <summary>The bytes that wait for <see cref="Flush"/>.</summary>
    public int Waiting => _waiting.WrittenCount;

    /// <summary>The messages written so far, and the long ones that are whole.</summary>
    public long Messages { get; private set; }

    /// <summary>Adds a message, a piece of a long one, or a loss. Times never go back: an earlier one counts as that
    /// of the item before.</summary>
    /// <exception cref="ArgumentException">The payload or a text is longer than the format takes.</exception>
    public void Write(RecordedItem item)
    {
        if (item.Payload.Length > RecordingFormat.LongestRecord - RecordingFormat.MessageStart)
        {
            throw new ArgumentException(
                $"A message of {item.Payload.Length} bytes is too long for a recording.", nameof(item));
        }
        uint sender = NumberOf(item);
        _last = Math.Max(_last, item.Time.Ticks);
        RecordKind kind = item.IsLoss ? RecordKind.Loss
            : item.Part is null ? RecordKind.Message : RecordKind.Long;
        _body.Clear().Byte((byte)kind).UInt64((ulong)_last).UInt32(sender).UInt64(item.Sequence);
        if (item.IsLoss)
        {
            _body.UInt64(item.Lost).Text(item.Reason);
        }
        else
        {
            if (item.Part is { } part) _body.Byte((byte)part);
            _body.Bytes(item.Payload.Span);
            if (item.Part is null or LongPart.Last) Messages++;
        }
        AddRecord();
    }

    /// <summary>Ends the recording in order, and flushes it.</summary>
    /// <param name="time">The time since its beginning.</param>
    public void Complete(TimeSpan time)
    {
        _last = Math.Max(_last, time.Ticks);
        _body.Clear().Byte((byte)RecordKind.End).UInt64((ulong)_last).UInt64((ulong)Messages);
        AddRecord();
        Flush();
    }

    /// <summary>Hands what waits to the stream.</summary>
    public void Flush()
    {
        if (_waiting.WrittenCount == 0) return;
        _stream.Write(_waiting.WrittenSpan);
        _stream.Flush();
        _flushed += _waiting.WrittenCount;
        _waiting.ResetWrittenCount();
    }

    private uint NumberOf(RecordedItem item)
    {
        if (_senders.TryGetValue((item.SenderId, item.Sender), out uint known)) return known;
        uint number = (uint)_senders.Count;
        _body.Clear().Byte((byte)RecordKind.Sender).UInt32(number).Text(item.Sender).Text(item.SenderId);
        _senders.Add((item.SenderId, item.Sender), number);
        AddRecord();
        return number;
    }

    // The checksum covers the length too.
    private void AddRecord()
    {
        Span<byte> start = stackalloc byte[RecordingFormat.RecordStart];
        BinaryPrimitives.WriteInt32LittleEndian(start, _body.Written.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(start[4..], Crc32C.Of(start[..4], _body.Written));
        _waiting.Write(start);
        _waiting.Write(_body.Written);
    }
}
