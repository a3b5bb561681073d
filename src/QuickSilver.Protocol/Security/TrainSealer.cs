using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// Seals whole trains, into memory that lasts until the next call. A train of packets that goes to several destinations
/// is sealed once. Core thread only; allocates nothing in steady state.
/// </summary>
internal sealed class TrainSealer(DatagramSealer sealer)
{
    private readonly byte[] _control = new byte[DatagramHeader.MaxDatagram];
    private readonly byte[] _data = new byte[DatagramHeader.MaxDatagram];
    private readonly byte[] _first = new byte[DatagramHeader.Length];
    private int _plainLength;
    private int _dataLength;

    /// <summary>Packets that were to be sealed again and differed from what was sealed before: not sent.</summary>
    public ulong Mismatches => sealer.Mismatches;

    /// <summary>Seals a train.</summary>
    /// <param name="plain">Its datagrams, of one length but the last.</param>
    /// <param name="segment">That length; it grows by what sealing adds.</param>
    /// <param name="train">The sealed train.</param>
    /// <returns>False when one of its datagrams may not be sent.</returns>
    public bool TrySeal(ReadOnlySpan<byte> plain, ref int segment, out ReadOnlyMemory<byte> train)
    {
        train = default;
        if (plain.Length < DatagramHeader.Length) return false;
        int first = Math.Min(segment, plain.Length);
        int added = sealer.AddedBytes(plain[..first]);
        bool isData = plain[DatagramHeader.KindOffset] == (byte)DatagramKind.Data;
        // The number of its first packet in its view names a train of packets, wherever it goes.
        if (isData && plain.Length == _plainLength && plain[..DatagramHeader.Length].SequenceEqual(_first))
        {
            segment = first + added;
            train = _data.AsMemory(0, _dataLength);
            return true;
        }
        byte[] buffer = isData ? _data : _control;
        if (isData) _plainLength = 0;
        int written = 0;
        for (int offset = 0; offset < plain.Length; offset += first)
        {
            ReadOnlySpan<byte> datagram = plain.Slice(offset, Math.Min(first, plain.Length - offset));
            System.Diagnostics.Debug.Assert(
                sealer.AddedBytes(datagram) == added, "the datagrams of a train are of one view and lane");
            int length = datagram.Length + added;
            if (written + length > buffer.Length) return false;
            if (!sealer.TrySeal(datagram, buffer.AsSpan(written, length))) return false;
            written += length;
        }
        if (isData)
        {
            plain[..DatagramHeader.Length].CopyTo(_first);
            (_plainLength, _dataLength) = (plain.Length, written);
        }
        segment = first + added;
        train = buffer.AsMemory(0, written);
        return true;
    }
}
