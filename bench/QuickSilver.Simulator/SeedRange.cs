using System.Globalization;

namespace QuickSilver.Simulator;

/// <summary>Seeds as the command line names them: <c>17</c>, <c>1..400</c>.</summary>
/// <param name="First">The first.</param>
/// <param name="Count">How many.</param>
internal readonly record struct SeedRange(ulong First, ulong Count)
{
    public static SeedRange Parse(string text)
    {
        string[] parts = text.Split("..");
        ulong first = ulong.Parse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture);
        ulong last = parts.Length == 1 ? first : ulong.Parse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture);
        if (parts.Length > 2 || last < first)
            throw new FormatException($"seeds are a number or a range such as 1..400, not {text}");
        return new SeedRange(first, last - first + 1);
    }
}
