using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Repairs;

/// <summary>
/// One packet that is sent again in parts, because datagrams of its length do not reach the asker. It is cut when the
/// socket can take a train. Keeps a copy of the packet in reused memory. Cost: two copies of the packet. Core thread
/// only.
/// </summary>
internal sealed class OutgoingParts
{
    private byte[] _whole = [];
    private DatagramHeader _header;
    private int _length;
    private int _offset;
    private int _partBytes;

    /// <summary>True when there is nothing left to send.</summary>
    public bool IsEmpty => _offset >= _length;

    /// <summary>Begins with a packet.</summary>
    /// <param name="repair">The packet.</param>
    /// <param name="relay">This node's index in the view, when the packet is another's; null when it is its
    /// own.</param>
    /// <param name="longest">The longest datagram that arrives.</param>
    public void Begin(in OutgoingRepair repair, int? relay, int longest)
    {
        _length = repair.Length;
        if (_whole.Length < _length) _whole = new byte[DatagramHeader.MaxDatagram];
        repair.WriteTo(_whole.AsSpan(0, _length), relay);
        RejectReason reason = DatagramHeader.TryRead(_whole.AsSpan(0, _length), out _header);
        System.Diagnostics.Debug.Assert(reason == RejectReason.None, "a kept packet is well-formed");
        _header.Kind = DatagramKind.RepairPart;
        _header.Flags &= DatagramFlags.FromPeer;
        _offset = 0;
        _partBytes = Math.Max(longest, PathLadder.Floor) - RepairPartBody.Overhead;
    }

    /// <summary>Drops the remainder.</summary>
    public void Clear() => _length = 0;

    /// <summary>Cuts the next train.</summary>
    /// <param name="room">Destination; its length limits the train.</param>
    /// <param name="maxDatagrams">Limit on the datagrams of the train.</param>
    /// <param name="segment">Length of all its datagrams but the last.</param>
    /// <returns>Bytes of the train.</returns>
    public int CutTrain(Span<byte> room, int maxDatagrams, out int segment)
    {
        int written = 0;
        segment = Math.Min(_partBytes, _length - _offset) + RepairPartBody.Overhead;
        for (int count = 0; count < maxDatagrams && !IsEmpty; count++)
        {
            int bytes = Math.Min(_partBytes, _length - _offset);
            if (written + bytes + RepairPartBody.Overhead > Math.Min(room.Length, Train.RoomFor(count + 1))) break;
            Span<byte> datagram = room.Slice(written, bytes + RepairPartBody.Overhead);
            RepairPartBody.Write(datagram[DatagramHeader.Length..], _whole.AsSpan(0, _length), _offset);
            _header.WriteTo(datagram);
            _offset += bytes;
            written += datagram.Length;
        }
        return written;
    }
}
