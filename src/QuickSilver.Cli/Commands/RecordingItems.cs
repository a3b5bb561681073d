using System.Globalization;
using QuickSilver.Cli.Printing;
using QuickSilver.Cli.Recordings;

namespace QuickSilver.Cli.Commands;

/// <summary>What is told of a recording.</summary>
internal static class RecordingItems
{
    /// <summary>A message or loss, as sub tells it, with its time. The pieces of a long message are told as JSON alone,
    /// and as lines its end.</summary>
    public static PrintItem Of(RecordedItem item, RecordingHeader header)
    {
        string type = item.IsLoss ? "lost" : item.Part is null ? "message" : "piece";
        PrintItem told = new PrintItem(type).Add("group", header.Group)
            .Add("time", WallTime(header, item)).Add("sender", item.Sender).Add("id", item.SenderId);
        string sender = TerminalText.Escape(item.Sender);
        if (item.IsLoss)
        {
            return told.Add("first", item.Sequence).Add("count", item.Lost).Add("reason", item.Reason)
                .Remark($"lost messages of {sender}: {TerminalText.Escape(item.Reason)}");
        }
        told.Add("sequence", item.Sequence).Add("bytes", item.Payload.Length).AddPayload(item.Payload.Span);
        if (item.Part is { } part) told.Add("part", part.ToString());
        if (item.Part == LongPart.More) return told;
        string what = item.Part switch
        {
            LongPart.Last => $"the end of long message {item.Sequence}",
            LongPart.GivenUp => $"long message {item.Sequence} ends before it is whole",
            _ => PayloadText.ForLine(item.Payload.Span),
        };
        return told.Say(string.Create(
            CultureInfo.InvariantCulture, $"{item.Time.TotalSeconds:0.000} {sender}: {what}"));
    }

    /// <summary>How much was read.</summary>
    public static PrintItem Summary(string type, RecordingReader reader)
    {
        string verb = type == "read" ? "read" : "replayed";
        return new PrintItem(type).Add("group", reader.Header.Group).Add("cluster", reader.Header.Cluster)
            .Add("mode", reader.Header.Mode).Add("start", reader.Header.Start).Add("messages", reader.Messages)
            .Add("lost", reader.Lost).Add("end", reader.End.ToString())
            .Remark($"{reader.Messages} messages {verb}, recorded in {TerminalText.Escape(reader.Header.Group)} on "
                + reader.Header.Start.UtcDateTime.ToString("u", CultureInfo.InvariantCulture));
    }

    // A recording of anybody's may last beyond the calendar.
    private static object WallTime(RecordingHeader header, RecordedItem item) =>
        item.Time <= DateTimeOffset.MaxValue - header.Start ? header.Start + item.Time : item.Time;
}
