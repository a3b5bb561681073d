using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// Seals the datagrams that a node sends, on their way to the socket; memory keeps the plain ones. Every sending takes
/// a new counter of its lane, also that of a datagram sent before. Only a packet sent for the first time has its
/// sequence as counter: sealed for several destinations it is the same, and compared. Core thread only; allocates
/// nothing but keys. Cost: about 0.7 us a datagram and 0.2 us a kilobyte.
/// </summary>
internal sealed class DatagramSealer(KeyRing keys)
{
    private const int MostAssociated = DatagramHeader.Length + SealedHeader.CounterBytes;
    private const int CoveredTag = SealedHeader.LeastTagBytes;

    /// <summary>Packets that were to be sealed again and differed from what was sealed before: not sent.</summary>
    public ulong Mismatches { get; private set; }

    /// <summary>By how much a datagram grows when it is sealed; 0 when this node has no keys for it.</summary>
    public int AddedBytes(ReadOnlySpan<byte> plain)
    {
        SealLane lane = DatagramKinds.LaneOf(KindOf(plain));
        if (lane == SealLane.Hybrid) return SharedSealing.AddedBytes(keys, plain);
        DatagramHeader.ReadView(plain, out uint tag, out uint counter);
        return keys.Find(tag, counter) is { } view ? SealedHeader.AddedBytes(lane, view.TagBytes) : 0;
    }

    /// <summary>Seals one datagram.</summary>
    /// <param name="plain">The datagram as it lies in memory.</param>
    /// <param name="sealing">Destination, longer by <see cref="AddedBytes"/>.</param>
    /// <returns>False when it may not be sent: this node has no keys of its view or addressee, or it differs from what
    /// was sealed before with its nonce.</returns>
    public bool TrySeal(ReadOnlySpan<byte> plain, Span<byte> sealing)
    {
        RejectReason reason = DatagramHeader.TryReadFields(
            plain, ProtocolVersions.All, 0, out DatagramHeader header);
        System.Diagnostics.Debug.Assert(reason == RejectReason.None, "what a node sends is well-formed");
        SealLane lane = DatagramKinds.LaneOf(header.Kind);
        if (lane == SealLane.Hybrid) return SharedSealing.TrySeal(keys, plain, sealing);
        if (keys.Find(header.ViewTag, header.ViewCounter) is not { } view || lane == SealLane.None) return false;
        WriterKeys? writer = lane == SealLane.Feedback ? view.FindAddressee(header.Sequence) : view.Own;
        if (writer is null || writer.IsClosed) return false;
        LaneKeys ways = writer.LaneOf(lane);
        ulong counter = lane == SealLane.Data ? header.Sequence : ++ways.Counter;
        SealedHeader.Write(plain, sealing, lane, view.OwnIndex);
        int end = plain.Length;
        Span<byte> associated = stackalloc byte[MostAssociated];
        sealing[..DatagramHeader.Length].CopyTo(associated);
        if (lane == SealLane.Data) associated = associated[..DatagramHeader.Length];
        else
        {
            BinaryPrimitives.WriteUInt64LittleEndian(sealing[end..], counter);
            BinaryPrimitives.WriteUInt64LittleEndian(associated[DatagramHeader.Length..], counter);
            end += SealedHeader.CounterBytes;
        }
        Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];
        WriteNonce(nonce, view.OwnIndex, counter);
        Span<byte> tag = sealing.Slice(end, view.TagBytes);
        ways.For(counter).Seal(
            nonce,
            associated,
            plain[DatagramHeader.Length..],
            sealing[DatagramHeader.Length..plain.Length],
            tag);
        if (lane == SealLane.Data && !view.Sent.TryNote(counter, tag))
        {
            Mismatches++;
            return false;
        }
        BinaryPrimitives.WriteUInt32LittleEndian(sealing[SealedHeader.GateOffset..], GateOf(view.Gate, sealing));
        return true;
    }

    /// <summary>The nonce of a writer's counter.</summary>
    internal static void WriteNonce(Span<byte> nonce, ushort writer, ulong counter)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(nonce, writer);
        BinaryPrimitives.WriteUInt64LittleEndian(nonce[sizeof(uint)..], counter);
    }

    /// <summary>The gate of a sealed datagram: of its header without the gate, and the last 16 bytes of its
    /// tag.</summary>
    internal static uint GateOf(SipHash gate, ReadOnlySpan<byte> datagram)
    {
        const int after = SealedHeader.GateOffset + SealedHeader.GateBytes;
        Span<byte> covered = stackalloc byte[DatagramHeader.Length - SealedHeader.GateBytes + CoveredTag];
        datagram[..SealedHeader.GateOffset].CopyTo(covered);
        datagram[after..DatagramHeader.Length].CopyTo(covered[SealedHeader.GateOffset..]);
        datagram[^CoveredTag..].CopyTo(covered[^CoveredTag..]);
        return (uint)gate.Of(covered);
    }

    private static DatagramKind KindOf(ReadOnlySpan<byte> plain) =>
        (DatagramKind)(plain[DatagramHeader.KindOffset] & ~DatagramKinds.IgnorableBit);
}
