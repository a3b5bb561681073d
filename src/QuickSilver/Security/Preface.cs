using System.Buffers.Binary;

namespace QuickSilver.Security;

/// <summary>
/// The first eight bytes of each side of a secured connection, in clear: magic (u32), version, mode, two zeros. They
/// only let both sides say what does not fit; nothing is trusted for them, and no side falls back. Read as the length
/// of a frame, the magic is above every limit. So a side without security recognizes it, and cannot take it for a
/// frame.
/// </summary>
internal static class Preface
{
    /// <summary>Length in bytes.</summary>
    public const int Bytes = 8;

    /// <summary>The version of the handshake.</summary>
    public const byte Version = 1;

    private const uint Magic = 0x4C545351;

    /// <summary>Creates the preface of a mode.</summary>
    public static byte[] Of(SecurityMode mode)
    {
        byte[] preface = new byte[Bytes];
        BinaryPrimitives.WriteUInt32LittleEndian(preface, Magic);
        preface[4] = Version;
        preface[5] = (byte)mode;
        return preface;
    }

    /// <summary>True when bytes begin as a preface does.</summary>
    public static bool IsBegun(ReadOnlySpan<byte> bytes) =>
        bytes.Length >= sizeof(uint) && BinaryPrimitives.ReadUInt32LittleEndian(bytes) == Magic;

    /// <summary>Compares the preface of the other side with this side's mode.</summary>
    /// <exception cref="HandshakeException">They do not fit.</exception>
    public static void Check(ReadOnlySpan<byte> other, SecurityMode mode)
    {
        if (!IsBegun(other))
            throw new HandshakeException(
                HandshakeFault.NotSecured,
                "the other side does not use security, or is no node: set Security there as here, in all processes");
        if (other[4] != Version)
            throw new HandshakeException(
                HandshakeFault.OtherVersion, "the other side uses another version of QuickSilver");
        if (other[5] == (byte)mode) return;
        if (other[5] == (byte)SecurityMode.None)
            throw new HandshakeException(
                HandshakeFault.NotSecured,
                "the other side runs with Security.Mode None: set Security there as here, in all processes");
        throw new HandshakeException(
            HandshakeFault.OtherMode,
            $"the other side runs with Security.Mode {(SecurityMode)other[5]}, and this one with {mode}: "
            + "set the same in all processes");
    }
}
