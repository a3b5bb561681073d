using System.Globalization;
using System.Text;

namespace QuickSilver.Cli.Printing;

/// <summary>
/// Makes text of other nodes fit for a terminal. Names and payloads are chosen by strangers: an escape sequence in them
/// could rewrite the screen, or have the terminal type. All foreign text passes here before it is printed.
/// <para>
/// Control characters, format characters (those that turn the direction of writing, or have no width), line and
/// paragraph separators, private characters, unassigned ones and halves of surrogate pairs become visible: "\n", "\t",
/// "\u{1b}". More than two combining marks in a row become visible too. Everything else stays as it is.
/// </para>
/// </summary>
internal static class TerminalText
{
    private const int MostMarks = 2;
    private const string Cut = "…";

    /// <summary>Makes a text visible.</summary>
    /// <returns>The same text if all of it can be shown.</returns>
    public static string Escape(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (IsPlainAscii(text)) return text;
        var shown = new StringBuilder(text.Length + 16);
        int marks = 0;
        for (int index = 0; index < text.Length;)
        {
            if (!Rune.TryGetRuneAt(text, index, out Rune rune))
            {
                Append(shown, text[index++]);
                continue;
            }
            index += rune.Utf16SequenceLength;
            UnicodeCategory category = Rune.GetUnicodeCategory(rune);
            marks = IsMark(category) ? marks + 1 : 0;
            if (IsHidden(category) || marks > MostMarks) Append(shown, rune.Value);
            else shown.Append(rune);
        }
        return shown.ToString();
    }

    /// <summary>Makes a text visible, and cuts it after a number of characters.</summary>
    /// <param name="text">The text.</param>
    /// <param name="length">The longest text, at least 1.</param>
    public static string Escape(string text, int length)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(length, 1);
        string shown = Escape(text.Length > 4 * length ? text[..(4 * length)] : text);
        if (shown.Length <= length) return shown;
        int end = length - 1;
        if (end > 0 && char.IsHighSurrogate(shown[end - 1])) end--;
        return shown[..end] + Cut;
    }

    private static bool IsPlainAscii(string text) => text.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0;

    private static bool IsHidden(UnicodeCategory category) => category
        is UnicodeCategory.Control
        or UnicodeCategory.Format
        or UnicodeCategory.LineSeparator
        or UnicodeCategory.ParagraphSeparator
        or UnicodeCategory.PrivateUse
        or UnicodeCategory.Surrogate
        or UnicodeCategory.OtherNotAssigned;

    private static bool IsMark(UnicodeCategory category) =>
        category is UnicodeCategory.NonSpacingMark or UnicodeCategory.EnclosingMark;

    private static void Append(StringBuilder shown, int value)
    {
        switch (value)
        {
            case '\n':
                shown.Append("\\n");
                break;
            case '\r':
                shown.Append("\\r");
                break;
            case '\t':
                shown.Append("\\t");
                break;
            default:
                shown.Append(CultureInfo.InvariantCulture, $"\\u{{{value:x}}}");
                break;
        }
    }
}
