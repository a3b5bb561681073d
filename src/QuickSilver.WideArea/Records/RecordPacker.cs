using System.Diagnostics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Records;

/// <summary>
/// Packs messages of a group into records: short ones together, long ones in pieces. A record is read by itself, but
/// for messages that began in an earlier one.
/// <code>
/// check   8 bytes  of the group's name (<see cref="GroupNumber.Check"/>)
/// pieces, to the end:
///   flags   1 byte   1: the message begins here; 2: it ends here; 4: its sender is that of the piece before;
///                    8, with 1: another gateway of the site may have sent the message before
///   id      with 1, without 4: a byte with its length, and the text of the sender's id
///   name    with 1, without 4: as the id
///   number  with 1: varint, the message's sequence
///   total   with 1: varint, bytes of the message
///   length  varint, bytes of this piece
///   bytes
/// </code>
/// Loop thread only.
/// </summary>
internal sealed class RecordPacker(ulong check, int capacity)
{
    /// <summary>The message begins in the piece.</summary>
    public const byte Begins = 1;

    /// <summary>The message ends in the piece.</summary>
    public const byte Ends = 2;

    /// <summary>The sender is that of the piece before.</summary>
    public const byte SameSender = 4;

    /// <summary>Another gateway of the site may have sent the message before.</summary>
    public const byte Again = 8;

    private const int LengthBytes = 3;
    private const int LeastPiece = 64;

    private byte[] _record = [];
    private int _written;
    private SenderText? _sender;
    private OutgoingMessage _message;
    private int _sent;
    private bool _isOpen;

    /// <summary>True when a record has something in it.</summary>
    public bool HasRecord => _written > 0;

    /// <summary>The message that was begun last.</summary>
    public ref readonly OutgoingMessage Message => ref _message;

    /// <summary>True while a message has begun and not ended: no other may be given.</summary>
    public bool IsOpen => _isOpen;

    /// <summary>Begins a message.</summary>
    public void Begin(in OutgoingMessage message)
    {
        Debug.Assert(!_isOpen, "messages are packed one after another");
        _message = message;
        _sent = 0;
        _isOpen = true;
    }

    /// <summary>Packs what fits of the open message.</summary>
    /// <returns>False when the record is full: it is taken before the next call.</returns>
    public bool Pack()
    {
        Debug.Assert(_isOpen, "a message has begun");
        if (_written == 0)
        {
            _record = new byte[capacity];
            var head = new WireWriter(_record);
            head.WriteUInt64(check);
            _written = head.Written;
            _sender = null;
        }
        bool begins = _sent == 0;
        bool isSame = begins && ReferenceEquals(_sender, _message.Sender);
        int rest = _message.Payload.Length - _sent;
        int room = capacity - _written - HeadLength(begins, isSame) - LengthBytes;
        if (room < Math.Min(rest, LeastPiece)) return false;
        int length = Math.Min(rest, room);
        var writer = new WireWriter(_record.AsSpan(_written));
        byte flags = (byte)((begins ? Begins : 0) | (length == rest ? Ends : 0) | (isSame ? SameSender : 0)
            | (begins && _message.IsAgain ? Again : 0));
        writer.WriteByte(flags);
        if (begins)
        {
            if (!isSame)
            {
                WriteText(ref writer, _message.Sender.Id);
                WriteText(ref writer, _message.Sender.Name);
            }
            writer.WriteVarint(_message.Sequence);
            writer.WriteVarint((ulong)_message.Payload.Length);
            _sender = _message.Sender;
        }
        writer.WriteVarint((ulong)length);
        writer.WriteBytes(_message.Payload.Span.Slice(_sent, length));
        Debug.Assert(!writer.Overflowed, "the piece was cut to fit");
        _written += writer.Written;
        _sent += length;
        _isOpen = length < rest;
        return !_isOpen;
    }

    /// <summary>Takes the record out.</summary>
    public ReadOnlyMemory<byte> Take()
    {
        Debug.Assert(HasRecord, "a record has begun");
        ReadOnlyMemory<byte> record = _record.AsMemory(0, _written);
        _written = 0;
        return record;
    }

    private int HeadLength(bool begins, bool isSame)
    {
        if (!begins) return 1;
        int sender = isSame ? 0 : 2 + _message.Sender.Id.Length + _message.Sender.Name.Length;
        return 1 + sender + WireWriter.VarintLength(_message.Sequence)
            + WireWriter.VarintLength((ulong)_message.Payload.Length);
    }

    private static void WriteText(ref WireWriter writer, byte[] text)
    {
        writer.WriteByte((byte)text.Length);
        writer.WriteBytes(text);
    }
}
