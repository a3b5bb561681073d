using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Reads many datagrams by one system call. It is for sockets whose datagrams the kernel does not join into trains. The
/// first 2 KiB of each go to a slot of <see cref="LoneBuffers"/>, and the rest of a train to a buffer of its own, to
/// which the beginning is then copied: nothing is lost when trains come after all. Core thread only. Why:
/// docs/decisions/0162.
/// </summary>
internal sealed unsafe class LoneReader
{
    /// <summary>Most datagrams of one call.</summary>
    public const int Most = 32;

    private readonly LinuxNative.MessageHeader[] _headers = Pinned<LinuxNative.MessageHeader>(Most);
    private readonly LinuxNative.BufferPart[] _parts = Pinned<LinuxNative.BufferPart>(2 * Most);
    private readonly LinuxNative.SocketAddressAny[] _sources = Pinned<LinuxNative.SocketAddressAny>(Most);
    private readonly byte[][] _rests = new byte[Most][];
    private readonly LoneBuffers _lone;
    private readonly ReadBufferPool _buffers;

    /// <summary>Rents the buffers for what is longer than a slot.</summary>
    public LoneReader(LoneBuffers lone, ReadBufferPool buffers)
    {
        _lone = lone;
        _buffers = buffers;
        for (int index = 0; index < Most; index++)
        {
            ref LinuxNative.MessageHeader header = ref _headers[index];
            header.Source = (LinuxNative.SocketAddressAny*)Address(ref _sources[index]);
            header.Parts = (LinuxNative.BufferPart*)Address(ref _parts[2 * index]);
            header.PartCount = 2;
            _parts[2 * index].Length = LoneBuffers.SlotBytes;
            RentRest(index);
        }
    }

    /// <summary>Reads what waits, up to a limit.</summary>
    /// <param name="port">The port.</param>
    /// <param name="batch">Receives the reads.</param>
    /// <param name="room">The limit.</param>
    /// <param name="wanted">How many the call asked for: fewer read empties the socket.</param>
    /// <param name="bytes">Bytes read.</param>
    /// <returns>The number of datagrams, empty ones included; negative after a failure.</returns>
    public int Read(LinuxPort port, List<Completion> batch, int room, out int wanted, out int bytes)
    {
        bytes = 0;
        wanted = _lone.Find(Math.Min(room, Most), out byte[] slab, out int offset);
        byte* first = (byte*)Address(ref slab[offset]);
        for (int index = 0; index < wanted; index++)
        {
            _parts[2 * index].Start = first + (index * LoneBuffers.SlotBytes);
            _headers[index].SourceLength = sizeof(LinuxNative.SocketAddressAny);
        }
        int count = LinuxNative.ReceiveMany(port.Descriptor, _headers, wanted);
        int held = 0;
        for (int index = 0; index < count; index++)
        {
            int length = (int)_headers[index].Length;
            if (length == 0) continue;
            bytes += length;
            bool isTrain = length > LoneBuffers.SlotBytes;
            byte[] buffer = isTrain ? _rests[index] : slab;
            int at = isTrain ? 0 : offset + (index * LoneBuffers.SlotBytes);
            if (isTrain)
            {
                slab.AsSpan(offset + (index * LoneBuffers.SlotBytes), LoneBuffers.SlotBytes).CopyTo(buffer);
                RentRest(index);
                port.HasLone = false;
            }
            else held++;
            PriorityClass priority = DatagramKinds.PriorityOfRead(buffer.AsSpan(at, length));
            batch.Add(new Completion(port.Role, priority, port.Channel, buffer, at, length)
            {
                Source = _sources[index].ToEndpoint(),
            });
        }
        if (count > 0) _lone.Take(count, held);
        return count;
    }

    private void RentRest(int index)
    {
        _rests[index] = _buffers.Rent();
        _parts[(2 * index) + 1].Start = (byte*)Address(ref _rests[index][LoneBuffers.SlotBytes]);
        _parts[(2 * index) + 1].Length = ReadBufferPool.BufferBytes - LoneBuffers.SlotBytes;
    }

    private static T[] Pinned<T>(int count) => GC.AllocateArray<T>(count, pinned: true);

    private static nint Address<T>(ref T pinned)
        where T : unmanaged => (nint)Unsafe.AsPointer(ref pinned);
}
