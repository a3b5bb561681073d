using System.Globalization;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>Numbers of bytes as they are written on a command line: 5000, 64k, 100m, 1g. The letters are powers of
/// 1,024.</summary>
internal static class ByteCount
{
    private const string Letters = "kmg";
    private const int Shift = 10;

    /// <summary>Reads one.</summary>
    public static bool TryParse(string text, out long bytes)
    {
        bytes = 0;
        if (text.Length == 0) return false;
        int power = Letters.IndexOf(char.ToLowerInvariant(text[^1]), StringComparison.Ordinal) + 1;
        ReadOnlySpan<char> digits = power > 0 ? text.AsSpan(0, text.Length - 1) : text;
        if (!int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int number)) return false;
        bytes = (long)number << (power * Shift);
        return true;
    }
}
