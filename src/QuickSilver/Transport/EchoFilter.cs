using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace QuickSilver.Transport;

/// <summary>
/// Spares a node the copy of its own multicast, where it has no separate source address to block
/// (<see cref="OwnSource"/>). Multicast loops back to every socket of the machine that has joined the group, including
/// the sender's. Other nodes of the machine need that, but the sender would read each of its trains, up to 64 KiB, only
/// to drop it.
/// <para>
/// Idea: a classic BPF program on the receiving socket truncates each datagram or train from the node's own sending
/// socket. The remaining empty datagram costs one call to read. Dropping it would be cheaper, but the kernel counts
/// filtered datagrams together with those that a full buffer drops. Rate control depends on that count.
/// </para>
/// Linux only. Without the filter the protocol drops the echo. Cost: a few ns a train in the kernel.
/// </summary>
internal static class EchoFilter
{
    private const int SolSocket = 1;
    private const int SoAttachFilter = 26;
    private const int UdpHeaderBytes = 8;
    private const ushort LoadHalf = 0x28;
    private const ushort LoadWord = 0x20;
    private const ushort JumpIfEqual = 0x15;
    private const ushort Return = 0x06;
    private const uint SourcePort = 0;
    private const uint NetworkHeader = unchecked((uint)-0x100000);
    private const uint SourceOfIPv4 = NetworkHeader + 12;
    private const uint SourceOfIPv6 = NetworkHeader + 8;
    private const int WordBytes = sizeof(uint);

    /// <summary>Truncates the sender's datagrams at the receiver from now on; has no effect where the kernel
    /// refuses.</summary>
    /// <param name="receiver">A socket bound to the group.</param>
    /// <param name="sender">The address and port that the sending socket alone is bound to.</param>
    public static unsafe void Attach(Socket receiver, IPEndPoint sender)
    {
        Instruction[] program = Compile(sender);
        fixed (Instruction* first = program)
        {
            var argument = new Program((ushort)program.Length, first);
            try
            {
                receiver.SetRawSocketOption(
                    SolSocket, SoAttachFilter, new ReadOnlySpan<byte>(&argument, sizeof(Program)));
            }
            catch (SocketException)
            {
                // The protocol drops datagrams of its own node in any case.
            }
        }
    }

    // The port, then the words of the address: the first that differs jumps to the end, which takes all bytes.
    private static Instruction[] Compile(IPEndPoint sender)
    {
        byte[] address = sender.Address.GetAddressBytes();
        uint source = address.Length == WordBytes ? SourceOfIPv4 : SourceOfIPv6;
        int left = (address.Length / WordBytes * 2) + 1;
        List<Instruction> program =
        [
            new(LoadHalf, 0, 0, SourcePort),
            new(JumpIfEqual, 0, (byte)left, (uint)sender.Port),
        ];
        for (int offset = 0; offset < address.Length; offset += WordBytes)
        {
            left -= 2;
            uint word = BinaryPrimitives.ReadUInt32BigEndian(address.AsSpan(offset));
            program.Add(new(LoadWord, 0, 0, source + (uint)offset));
            program.Add(new(JumpIfEqual, 0, (byte)left, word));
        }
        program.Add(new(Return, 0, 0, UdpHeaderBytes));
        program.Add(new(Return, 0, 0, uint.MaxValue));
        return [.. program];
    }

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Instruction(ushort Code, byte JumpTrue, byte JumpFalse, uint Operand);

    [StructLayout(LayoutKind.Sequential)]
    private readonly unsafe struct Program(ushort length, Instruction* first)
    {
        private readonly ushort _length = length;
        private readonly Instruction* _first = first;
    }
}
