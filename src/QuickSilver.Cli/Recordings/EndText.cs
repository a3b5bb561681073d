using System.Globalization;

namespace QuickSilver.Cli.Recordings;

/// <summary>Says how the reading of a recording has ended.</summary>
internal static class EndText
{
    /// <summary>True if all that was recorded was read.</summary>
    public static bool IsInOrder(RecordingReader reader) => reader.End == RecordingEnd.Whole;

    /// <summary>A line for users; null for a recording that is whole.</summary>
    public static string? Of(RecordingReader reader)
    {
        string place = string.Create(
            CultureInfo.InvariantCulture, $"after {reader.Messages} messages, at byte {reader.Offset}");
        return reader.End switch
        {
            RecordingEnd.WithoutEnd => $"The recording has no end {place}: the recorder was killed. "
                + "What it had received last may be missing.",
            RecordingEnd.CutShort => $"The recording is cut short {place}, within a record.",
            RecordingEnd.Damaged => $"The recording is damaged {place}. What follows is not read.",
            _ => null,
        };
    }
}
