using System.Globalization;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>What is told of a group: messages as data, everything else as remarks.</summary>
internal static class GroupItems
{
    /// <summary>The group was joined.</summary>
    public static PrintItem Joined(Group group)
    {
        GroupView view = group.View;
        string mode = ModeArgument.NameOf(view);
        return new PrintItem("joined").Add("group", group.Name).Add("node", group.Node.Name).Add("mode", mode)
            .Add("members", view.MemberCount)
            .Remark($"{Text(group.Node.Name)} is in {Text(group.Name)} ({mode}), with {Count(view.MemberCount - 1)}");
    }

    /// <summary>A message arrived.</summary>
    /// <param name="message">The message.</param>
    /// <param name="withGroup">True to begin the line with the group.</param>
    public static PrintItem Of(Message message, bool withGroup)
    {
        ReadOnlySpan<byte> payload = message.Payload.Span;
        string group = withGroup ? Text(message.GroupName) + " " : "";
        return new PrintItem("message").Add("group", message.GroupName).Add("sender", message.SenderName)
            .Add("id", message.Sender.ToString()).Add("sequence", message.Sequence).Add("bytes", payload.Length)
            .AddPayload(payload)
            .Say($"{group}{Text(message.SenderName)}: {PayloadText.ForLine(payload)}");
    }

    /// <summary>Something else happened in a group.</summary>
    public static PrintItem Of(GroupEvent happened) => happened switch
    {
        MessagesLost lost => new PrintItem("lost").Add("group", lost.GroupName).Add("id", lost.Sender.ToString())
            .Add("first", lost.First).Add("count", lost.Count).Add("reason", lost.Reason.ToString())
            .Remark($"{Text(lost.GroupName)}: lost {CountOf(lost)} of {lost.Sender}: {lost.Reason}"),
        ViewChanged view => Of(view),
        GroupCompleted ended => new PrintItem("ended").Add("group", ended.GroupName).Add("code", ended.Code?.ToString())
            .Add("reason", ended.ReasonText),
        _ => new PrintItem("event").Add("group", happened.GroupName),
    };

    private static PrintItem Of(ViewChanged view)
    {
        string[] joined = [.. view.GetJoined().Select(static member => member.Name)];
        string[] left = [.. view.GetLeft().Select(static member => member.Name)];
        var item = new PrintItem("view").Add("group", view.GroupName).Add("number", view.After.Number)
            .Add("members", view.After.MemberCount).Add("joined", joined).Add("left", left);
        if (view.Before is null) return item;
        string changes = string.Join(
            ", ", joined.Select(static name => "+" + Text(name)).Concat(left.Select(static name => "-" + Text(name))));
        return item.Remark($"{Text(view.GroupName)}: {view.After.MemberCount} members ({changes})");
    }

    private static string CountOf(MessagesLost lost) =>
        lost.Count == 0 ? "messages" : string.Create(CultureInfo.InvariantCulture, $"{lost.Count} messages");

    private static string Count(int others) => others == 1 ? "1 other member" : $"{others} other members";

    private static string Text(string foreign) => TerminalText.Escape(foreign);
}
