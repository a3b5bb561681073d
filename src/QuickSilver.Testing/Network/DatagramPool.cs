using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>Memory of the datagrams under way and of the nodes' reads, in two sizes, shared by one cluster: a thousand
/// nodes read with the buffers of the one whose turn it is.</summary>
internal sealed class DatagramPool
{
    private const int SmallBytes = 2048;
    private const int LargeBytes = 1 << 16;
    private const byte Poison = 0xDB;

    private readonly Stack<Datagram> _small = new();
    private readonly Stack<Datagram> _large = new();
    private readonly Stack<byte[]> _smallReads = new();
    private readonly Stack<byte[]> _largeReads = new();

    /// <summary>Datagrams out.</summary>
    public int Outstanding { get; private set; }

    /// <summary>A datagram with a copy of <paramref name="bytes"/> and one reference.</summary>
    public Datagram Rent(ReadOnlySpan<byte> bytes, int source, NetEndpoint from, bool damaged = false)
    {
        bool small = bytes.Length <= SmallBytes;
        if (!(small ? _small : _large).TryPop(out Datagram? datagram))
            datagram = new Datagram(new byte[small ? SmallBytes : LargeBytes]);
        bytes.CopyTo(datagram.Bytes);
        datagram.Start(bytes.Length, source, from, damaged);
        Outstanding++;
        return datagram;
    }

    /// <summary>Gives a reference up.</summary>
    public void Release(Datagram datagram)
    {
        if (!datagram.Release()) return;
        Outstanding--;
        (datagram.Bytes.Length == SmallBytes ? _small : _large).Push(datagram);
    }

    /// <summary>A buffer for one read. A large one is pinned: nodes may keep it, in exchange for one of
    /// theirs.</summary>
    public byte[] RentRead(int length)
    {
        bool small = length <= SmallBytes;
        if ((small ? _smallReads : _largeReads).TryPop(out byte[]? buffer)) return buffer;
        return small ? new byte[SmallBytes] : GC.AllocateUninitializedArray<byte>(LargeBytes, pinned: true);
    }

    /// <summary>Takes a read's buffer back, and overwrites it: who keeps a reference to it, against the contract, will
    /// notice.</summary>
    public void ReturnRead(byte[] buffer, int used)
    {
        buffer.AsSpan(0, used).Fill(Poison);
        (buffer.Length == SmallBytes ? _smallReads : _largeReads).Push(buffer);
    }
}
