using System.Buffers;
using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;

namespace QuickSilver.Security;

/// <summary>Reads keys that are written as text.</summary>
internal static class KeyText
{
    /// <summary>Length of a key, in bytes.</summary>
    public const int KeyBytes = 32;

    // A text that is too long is told by its length, as far as this.
    private const int LongestText = 1024;

    // 32 random bytes have about 30 different values; fewer than 16 come once in 10^14 keys.
    private const int FewestValues = 16;

    /// <summary>Reads a key: 32 bytes as base64 or hexadecimal text, with white space around it.</summary>
    /// <param name="text">The text.</param>
    /// <param name="key">The key, in memory that is not moved; empty after a failure.</param>
    /// <param name="fault">The fault as the end of a sentence that does not contain the text; empty for none.</param>
    public static bool TryParse(ReadOnlySpan<char> text, out byte[] key, out string fault)
    {
        text = text.Trim();
        if (text.Length > LongestText) text = text[..LongestText];
        Span<byte> bytes = stackalloc byte[LongestText];
        // What is not ASCII becomes a character that no key has.
        int length = Encoding.ASCII.GetBytes(text, bytes);
        bool isKey = TryParse(bytes[..length], out key, out fault);
        CryptographicOperations.ZeroMemory(bytes);
        return isKey;
    }

    /// <summary>Reads a key from ASCII text without white space around it: see the other.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out byte[] key, out string fault)
    {
        Span<byte> bytes = stackalloc byte[2 * KeyBytes];
        key = [];
        fault = "";
        if (!TryDecode(text, bytes, out int length))
            fault = "is not 32 bytes as base64 or hexadecimal text (openssl rand -base64 32 makes some)";
        else if (length != KeyBytes)
            fault = $"has {length} bytes, and a key has {KeyBytes} (openssl rand -base64 32 makes some)";
        else if (CountValues(bytes[..length]) < FewestValues)
            fault = "is not random: its bytes repeat (openssl rand -base64 32 makes random ones)";
        else
        {
            key = GC.AllocateArray<byte>(KeyBytes, pinned: true);
            bytes[..length].CopyTo(key);
        }
        CryptographicOperations.ZeroMemory(bytes);
        return fault.Length == 0;
    }

    private static bool TryDecode(ReadOnlySpan<byte> text, Span<byte> bytes, out int length)
    {
        length = 0;
        if (text.IsEmpty) return false;
        if (text.Length == 2 * KeyBytes && text.IndexOfAnyExcept("0123456789abcdefABCDEF"u8) < 0)
            return Convert.FromHexString(text, bytes, out _, out length) == OperationStatus.Done;
        if (!Base64.IsValid(text, out int decoded)) return false;
        return decoded <= bytes.Length
            ? Base64.DecodeFromUtf8(text, bytes, out _, out length) == OperationStatus.Done
            : ReportLength(decoded, out length);
    }

    // A text that is base64 and too long is told by its length.
    private static bool ReportLength(int decoded, out int length)
    {
        length = decoded;
        return decoded > 0;
    }

    private static int CountValues(ReadOnlySpan<byte> bytes)
    {
        UInt128 lower = 0;
        UInt128 upper = 0;
        foreach (byte value in bytes)
        {
            if (value < 128) lower |= UInt128.One << value;
            else upper |= UInt128.One << (value - 128);
        }
        return (int)(UInt128.PopCount(lower) + UInt128.PopCount(upper));
    }
}
