using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The libc calls without an equivalent in .NET: waiting for many sockets and for other threads together, in fractions
/// of a millisecond, and sending to an address without an exception for a full buffer. Measured: plain
/// <see cref="Socket"/> calls send and receive as fast as P/Invoke, but wait more slowly. No call suppresses the GC
/// transition, because each enters the kernel.
/// </summary>
internal static partial class LinuxNative
{
    /// <summary>Add a descriptor.</summary>
    public const int EpollAdd = 1;

    /// <summary>Remove a descriptor.</summary>
    public const int EpollDelete = 2;

    /// <summary>Readable.</summary>
    public const uint EpollIn = 1;

    /// <summary>Report a change once (edge-triggered), not for as long as it lasts.</summary>
    public const uint EpollEdge = 1u << 31;

    /// <summary>Close on exec, for epoll and eventfd alike.</summary>
    public const int CloseOnExec = 0x80000;

    /// <summary>An eventfd that never blocks.</summary>
    public const int NonBlocking = 0x800;

    /// <summary>The call was interrupted by a signal.</summary>
    public const int Interrupted = 4;

    private const int DontWait = 0x40;
    private const int NoSignal = 0x4000;
    private const int NotPermitted = 1;
    private const int TryAgain = 11;
    private const int InvalidArgument = 22;
    private const int MessageTooLong = 90;
    private const int NotSupported = 95;
    private const int NetworkDown = 100;
    private const int NetworkUnreachable = 101;
    private const int NoBuffers = 105;
    private const int Refused = 111;
    private const int HostUnreachable = 113;
    private const ushort FamilyIPv6 = 10;

    /// <summary>Creates an epoll instance.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int EpollCreate(int flags);

    /// <summary>Adds or removes a descriptor.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static unsafe partial int EpollControl(
        SafeFileHandle epoll, int operation, nint descriptor, void* registration);

    /// <summary>Waits, in milliseconds.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static unsafe partial int EpollWait(SafeFileHandle epoll, void* events, int maxEvents, int milliseconds);

    /// <summary>Waits, in nanoseconds; Linux 5.11, glibc 2.35.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_pwait2", SetLastError = true)]
    public static unsafe partial int EpollWaitPrecisely(
        SafeFileHandle epoll, void* events, int maxEvents, TimeSpec* timeout, void* signalMask);

    /// <summary>Creates a counter by which other threads wake an epoll.</summary>
    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    public static partial int EventCreate(uint initial, int flags);

    /// <summary>Adds to an eventfd.</summary>
    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static unsafe partial nint Write(SafeFileHandle descriptor, void* bytes, nuint count);

    /// <summary>Receives without waiting. Returns the number of bytes; -1 after a failure, see
    /// <see cref="FoundNothing"/>.</summary>
    /// <param name="descriptor">A datagram socket, of IPv4 or IPv6.</param>
    /// <param name="buffer">Receives the bytes.</param>
    /// <param name="source">The endpoint of the sender.</param>
    public static unsafe int Receive(nint descriptor, Span<byte> buffer, out NetEndpoint source)
    {
        SocketAddressAny address = default;
        int length = sizeof(SocketAddressAny);
        nint received;
        fixed (byte* first = buffer)
        {
            received = ReceiveFrom(descriptor, first, (nuint)buffer.Length, DontWait, &address, &length);
        }
        source = address.ToEndpoint();
        return (int)received;
    }

    /// <summary>Receives several datagrams without waiting. Returns their number; -1 after a failure, see
    /// <see cref="FoundNothing"/>.</summary>
    /// <param name="descriptor">A datagram socket, of IPv4 or IPv6.</param>
    /// <param name="headers">Where each goes; pinned, with all they point to.</param>
    /// <param name="count">How many.</param>
    public static unsafe int ReceiveMany(nint descriptor, MessageHeader[] headers, int count)
    {
        fixed (MessageHeader* first = headers) return ReceiveMessages(descriptor, first, (uint)count, DontWait, null);
    }

    /// <summary>Sends to an address without waiting. A failure is an answer here: where the framework sends to an
    /// address, it reports a full buffer by an exception.</summary>
    /// <param name="descriptor">A datagram socket that is not connected.</param>
    /// <param name="bytes">A datagram, or a train.</param>
    /// <param name="to">The destination.</param>
    public static unsafe SocketError Send(nint descriptor, ReadOnlySpan<byte> bytes, SocketAddress to)
    {
        nint sent;
        fixed (byte* first = bytes)
        fixed (byte* address = to.Buffer.Span)
        {
            sent = SendTo(descriptor, first, (nuint)bytes.Length, DontWait | NoSignal, address, to.Size);
        }
        return sent >= 0 ? SocketError.Success : Marshal.GetLastPInvokeError() switch
        {
            TryAgain => SocketError.WouldBlock,
            NotPermitted => SocketError.AccessDenied,
            InvalidArgument => SocketError.InvalidArgument,
            MessageTooLong => SocketError.MessageSize,
            NotSupported => SocketError.OperationNotSupported,
            NetworkDown => SocketError.NetworkDown,
            NetworkUnreachable => SocketError.NetworkUnreachable,
            NoBuffers => SocketError.NoBufferSpaceAvailable,
            Refused => SocketError.ConnectionRefused,
            HostUnreachable => SocketError.HostUnreachable,
            _ => SocketError.SocketError,
        };
    }

    /// <summary>True when the last failed call found nothing to receive.</summary>
    public static bool FoundNothing => Marshal.GetLastPInvokeError() == TryAgain;

    [LibraryImport("libc", EntryPoint = "recvfrom", SetLastError = true)]
    private static unsafe partial nint ReceiveFrom(
        nint socket, byte* buffer, nuint length, int flags, SocketAddressAny* source, int* sourceLength);

    [LibraryImport("libc", EntryPoint = "recvmmsg", SetLastError = true)]
    private static unsafe partial int ReceiveMessages(
        nint socket, MessageHeader* headers, uint count, int flags, TimeSpec* timeout);

    [LibraryImport("libc", EntryPoint = "sendto", SetLastError = true)]
    private static unsafe partial nint SendTo(
        nint socket, byte* buffer, nuint length, int flags, byte* destination, int destinationLength);

    /// <summary>struct sockaddr_in, or sockaddr_in6 with its address in two parts; port and addresses are
    /// big-endian.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 32)]
    public struct SocketAddressAny
    {
        private readonly ushort _family;
        private readonly ushort _port;
        private readonly uint _ipv4;
        private readonly ulong _high;
        private readonly ulong _low;

        /// <summary>The endpoint.</summary>
        public readonly NetEndpoint ToEndpoint()
        {
            NetAddress from = _family == FamilyIPv6
                ? new NetAddress(
                    BinaryPrimitives.ReverseEndianness(_high), BinaryPrimitives.ReverseEndianness(_low))
                : BinaryPrimitives.ReverseEndianness(_ipv4);
            return new NetEndpoint(from, BinaryPrimitives.ReverseEndianness(_port));
        }
    }

    /// <summary>struct iovec.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct BufferPart
    {
        /// <summary>The first byte.</summary>
        public byte* Start;

        /// <summary>The number of bytes.</summary>
        public nuint Length;
    }

    /// <summary>struct mmsghdr of glibc and musl, without ancillary data.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct MessageHeader
    {
        /// <summary>Receives the sender's address.</summary>
        public SocketAddressAny* Source;

        /// <summary>Its room; the call sets it.</summary>
        public int SourceLength;

        /// <summary>The parts of the buffer.</summary>
        public BufferPart* Parts;

        /// <summary>Their number.</summary>
        public nuint PartCount;

        private readonly void* _control;
        private readonly nuint _controlLength;
        private readonly long _flags;

        /// <summary>The number of bytes received.</summary>
        public uint Length;
    }

    /// <summary>struct timespec on 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct TimeSpec
    {
        /// <summary>Whole seconds.</summary>
        public long Seconds;

        /// <summary>Nanoseconds of the next second.</summary>
        public long Nanoseconds;
    }
}
