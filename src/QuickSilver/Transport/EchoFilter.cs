using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace QuickSilver.Transport;

/// <summary>
/// Spares a node the copy of what it has sent itself, where it has no source address of its own to refuse (<see cref="OwnSource"/>). Multicast loops
/// back to every socket of the machine that has joined the group, the sender's own among them, and other nodes of the machine need that; but the
/// sender would read each of its trains, 64 KiB of them, only to throw them away.
/// <para>
/// Idea: a classic BPF program on the receiving socket, which cuts a datagram or train that comes from the node's own sending socket down to nothing.
/// What is left is an empty datagram, which costs one call to read. To drop it altogether would be cheaper still, but the kernel counts what a filter
/// drops together with what a full buffer drops, and the rate control goes by that count.
/// </para>
/// Linux only; where it is refused the echo is read and thrown away as before. Cost: a few ns a train in the kernel.
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
    private const uint SourceAddress = unchecked((uint)-0x100000) + 12;

    /// <summary>From now on the receiver hears nothing of what the sender sends; where the kernel refuses, it hears all of it, as before.</summary>
    /// <param name="receiver">Bound to the group.</param>
    /// <param name="sender">Bound to an address and port of its own.</param>
    public static unsafe void Attach(Socket receiver, IPEndPoint sender)
    {
        ReadOnlySpan<Instruction> program =
        [
            new(LoadHalf, 0, 0, SourcePort),
            new(JumpIfEqual, 0, 3, (uint)sender.Port),
            new(LoadWord, 0, 0, SourceAddress),
            new(JumpIfEqual, 0, 1, BinaryPrimitives.ReadUInt32BigEndian(sender.Address.GetAddressBytes())),
            new(Return, 0, 0, UdpHeaderBytes),
            new(Return, 0, 0, uint.MaxValue),
        ];
        fixed (Instruction* first = program)
        {
            var argument = new Program((ushort)program.Length, first);
            try
            {
                receiver.SetRawSocketOption(SolSocket, SoAttachFilter, new ReadOnlySpan<byte>(&argument, sizeof(Program)));
            }
            catch (SocketException)
            {
                // The protocol drops what comes from its own node, read or not.
            }
        }
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
