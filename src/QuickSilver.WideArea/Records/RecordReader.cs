using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Records;

/// <summary>Makes messages of the records of one stream, which come in order (<see cref="RecordPacker"/>). Memory grows
/// with what has come, never with what a record says. Loop thread only.</summary>
/// <param name="check">Of the group's name.</param>
/// <param name="longest">Bytes of the longest message that is taken.</param>
internal sealed class RecordReader(ulong check, int longest)
{
    private const byte KnownFlags =
        RecordPacker.Begins | RecordPacker.Ends | RecordPacker.SameSender | RecordPacker.Again;

    private readonly List<byte> _bytes = [];
    private SenderText? _sender;
    private ulong _sequence;
    private int _total;
    private bool _isAgain;
    private bool _isOpen;

    /// <summary>True while a message has begun and not ended.</summary>
    public bool IsOpen => _isOpen;

    /// <summary>Reads a record.</summary>
    /// <param name="record">The record.</param>
    /// <param name="messages">Receives the messages that end in it.</param>
    /// <returns>Why the rest of it is dropped; none for a record that was read to its end.</returns>
    public RejectReason Read(ReadOnlySpan<byte> record, List<IncomingMessage> messages)
    {
        var reader = new WireReader(record);
        if (reader.ReadUInt64() != check) return RejectReason.WrongCluster;
        SenderText? before = null;
        while (!reader.IsAtEnd)
        {
            if (!ReadPiece(ref reader, ref before, messages))
            {
                Forget();
                return RejectReason.Malformed;
            }
        }
        return RejectReason.None;
    }

    /// <summary>Records are missing: a message that has begun is given up.</summary>
    /// <returns>True when there was one.</returns>
    public bool Forget()
    {
        bool wasOpen = _isOpen;
        _isOpen = false;
        _bytes.Clear();
        _bytes.Capacity = Math.Min(_bytes.Capacity, 1 << 16);
        return wasOpen;
    }

    private bool ReadPiece(ref WireReader reader, ref SenderText? before, List<IncomingMessage> messages)
    {
        byte flags = reader.ReadByte();
        if (reader.Failed || (flags & ~KnownFlags) != 0) return false;
        bool begins = (flags & RecordPacker.Begins) != 0;
        bool isAgain = (flags & RecordPacker.Again) != 0;
        if (isAgain && !begins) return false;
        if (begins && !ReadHead(ref reader, (flags & RecordPacker.SameSender) != 0, ref before)) return false;
        if (begins) _isAgain = isAgain;
        int length = (int)reader.ReadVarint(int.MaxValue);
        if (reader.Failed || length > reader.Remaining) return false;
        ReadOnlySpan<byte> bytes = reader.ReadBytes(length);
        // Its beginning was lost.
        if (!_isOpen) return true;
        if (length > _total - _bytes.Count) return false;
        bool ends = (flags & RecordPacker.Ends) != 0;
        if (ends != (_bytes.Count + length == _total)) return false;
        if (!ends)
        {
            _bytes.AddRange(bytes);
            return length > 0;
        }
        byte[] payload = [.. _bytes, .. bytes];
        messages.Add(new IncomingMessage(_sender!, _sequence, payload, _isAgain));
        Forget();
        return true;
    }

    private bool ReadHead(ref WireReader reader, bool isSame, ref SenderText? before)
    {
        if (isSame && before is null) return false;
        SenderText sender = isSame
            ? before!
            : new SenderText(
                reader.ReadBytes(reader.ReadByte()).ToArray(), reader.ReadBytes(reader.ReadByte()).ToArray());
        ulong sequence = reader.ReadVarint();
        ulong total = reader.ReadVarint();
        if (reader.Failed || _isOpen || total > (ulong)longest) return false;
        // Readers of one sender share its texts.
        if (_sender is { } last && last.Id.AsSpan().SequenceEqual(sender.Id)
            && last.Name.AsSpan().SequenceEqual(sender.Name))
            sender = last;
        before = sender;
        _sender = sender;
        _sequence = sequence;
        _total = (int)total;
        _isOpen = true;
        return true;
    }
}
