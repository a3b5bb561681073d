namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>One record of a packet to be written: a message, or a fragment when <paramref name="Total"/> is
/// given.</summary>
internal readonly record struct PacketPart(
    int Group, ulong Number, byte[] Bytes, bool First = false, ulong Previous = 0, int Total = -1, int Offset = 0,
    bool IsPiece = false)
{
    public int MessageLength => Total < 0 ? Bytes.Length : Total;
}
