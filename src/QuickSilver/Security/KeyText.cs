using System.Buffers.Text;
using System.Security.Cryptography;

namespace QuickSilver.Security;

/// <summary>Reads keys that are written as text.</summary>
internal static class KeyText
{
    /// <summary>Length of a key, in bytes.</summary>
    public const int KeyBytes = 32;

    // 32 random bytes have about 30 different values; fewer than 16 come once in 10^14 keys.
    private const int FewestValues = 16;

    /// <summary>Reads a key: 32 bytes as base64 or hexadecimal text, with white space around it.</summary>
    /// <param name="text">The text.</param>
    /// <param name="key">The key; empty after a failure.</param>
    /// <param name="fault">The fault as the end of a sentence that does not contain the text; empty for none.</param>
    public static bool TryParse(ReadOnlySpan<char> text, out byte[] key, out string fault)
    {
        text = text.Trim();
        Span<byte> bytes = stackalloc byte[2 * KeyBytes];
        key = [];
        fault = "";
        if (!TryDecode(text, bytes, out int length))
        {
            fault = "is not 32 bytes as base64 or hexadecimal text (openssl rand -base64 32 makes some)";
            return false;
        }
        if (length != KeyBytes)
        {
            fault = $"has {length} bytes, and a key has {KeyBytes} (openssl rand -base64 32 makes some)";
            return false;
        }
        if (CountValues(bytes[..length]) < FewestValues)
        {
            fault = "is not random: its bytes repeat (openssl rand -base64 32 makes random ones)";
            return false;
        }
        key = bytes[..length].ToArray();
        CryptographicOperations.ZeroMemory(bytes);
        return true;
    }

    private static bool TryDecode(ReadOnlySpan<char> text, Span<byte> bytes, out int length)
    {
        length = 0;
        if (text.IsEmpty) return false;
        if (text.Length == 2 * KeyBytes && text.IndexOfAnyExcept("0123456789abcdefABCDEF") < 0)
            return Convert.FromHexString(text, bytes, out _, out length) == System.Buffers.OperationStatus.Done;
        return Base64.IsValid(text, out int decoded) && decoded <= bytes.Length
            ? Convert.TryFromBase64Chars(text, bytes, out length)
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
