using System.CommandLine;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Joins groups and prints what arrives.</summary>
internal sealed class Sub : NodeCommand
{
    private readonly Argument<string[]> _groups = new("GROUP")
    { Description = "The groups.", Arity = ArgumentArity.OneOrMore };

    private readonly Option<long?> _count = new("--count", "-n") { Description = "End after so many messages." };

    private readonly Option<bool> _raw = new("--raw")
    { Description = "The bytes of messages alone, a line each. Not to a terminal." };

    private readonly ModeArgument _mode;

    /// <summary>Makes the command.</summary>
    public Sub()
        : base("sub", "Joins groups and prints their messages until Ctrl+C.")
    {
        Line.Arguments.Add(_groups.NoOption());
        Line.Options.Add(_count.Positive());
        Line.Options.Add(_raw);
        _mode = new ModeArgument(Line);
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        bool raw = call.Value(_raw);
        if (raw && (call.Printer.IsTerminal || call.Printer.IsJson))
            throw CommandFailure.WrongArguments("--raw writes bytes as they are, so not to a terminal, nor as JSON.");
        string[] names = [.. call.Value(_groups).Distinct()];
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using Inbox inbox = node.CreateInbox();
        foreach (string name in names)
        {
            Group group = await _mode.EnterAsync(call, mode => node.JoinAsync(
                name,
                new GroupOptions { Inbox = inbox, Mode = mode, Overflow = OverflowPolicy.DropNewest },
                call.Stop)).ConfigureAwait(false);
            call.Printer.Print(GroupItems.Joined(group));
        }
        long left = call.Value(_count) ?? long.MaxValue;
        int open = names.Length;
        int code = ExitCode.Done;
        await using IAsyncEnumerator<GroupEvent> events = inbox.ReadEventsAsync(call.Stop).GetAsyncEnumerator();
        while (left > 0 && open > 0)
        {
            ValueTask<bool> next = events.MoveNextAsync();
            if (!next.IsCompleted) call.Printer.Flush();
            if (!await next.ConfigureAwait(false)) break;
            if (events.Current is MessageReceived { Message: var message })
            {
                left--;
                if (raw) call.Printer.Raw(message.Payload.Span);
                else call.Printer.Print(GroupItems.Of(message, withGroup: names.Length > 1));
            }
            else
            {
                call.Printer.Print(GroupItems.Of(events.Current));
                if (events.Current is not GroupCompleted { Reason: { } reason }) continue;
                open--;
                code = ExitCode.Failed;
                call.Printer.Error(reason.Message, code);
            }
        }
        return code;
    }
}
