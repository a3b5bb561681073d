using System.CommandLine;
using System.Diagnostics;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;
using QuickSilver.Cli.Recordings;

namespace QuickSilver.Cli.Commands;

/// <summary>Writes the messages of a group to a file.</summary>
internal sealed class Record : NodeCommand
{
    private const int FlushAfter = 1 << 18;

    private readonly Argument<string> _group = new("GROUP") { Description = "The group." };
    private readonly Argument<string> _file = new("FILE") { Description = "The new file." };
    private readonly Option<long?> _count = new("--count", "-n") { Description = "End after so many messages." };
    private readonly Option<double?> _seconds = new("--seconds") { Description = "End after so many seconds." };
    private readonly Option<bool> _force = new("--force") { Description = "Replace a file that exists." };
    private readonly ModeArgument _mode;

    /// <summary>Makes the command.</summary>
    public Record()
        : base("record", "Writes the messages of a group to a file until Ctrl+C, readable also after a crash.")
    {
        Line.Arguments.Add(_group.NoOption());
        Line.Arguments.Add(_file.NoOption());
        foreach (Option option in (Option[])[_count.Positive(), _seconds.Positive(), _force]) Line.Options.Add(option);
        _mode = new ModeArgument(Line);
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        string path = call.Value(_file);
        if (File.Exists(path) && !call.Value(_force))
            throw CommandFailure.Of($"'{path}' exists: give another file, or --force.");
        QuickSilverOptions options = Node.Read(call);
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(options, call.Stop).ConfigureAwait(false);
        await using Group group = await _mode.EnterAsync(call, mode => node.JoinAsync(
            call.Value(_group), new GroupOptions { Mode = mode, Overflow = OverflowPolicy.DropNewest }, call.Stop))
            .ConfigureAwait(false);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(call.Stop);
        if (call.Value(_seconds) is { } seconds) end.CancelAfter(TimeSpan.FromSeconds(seconds));
        long start = Stopwatch.GetTimestamp();
        await using var file = new FileStream(
            path, call.Value(_force) ? FileMode.Create : FileMode.CreateNew, FileAccess.Write, FileShare.Read, 0);
        var writer = new RecordingWriter(
            file,
            new RecordingHeader(
                DateTimeOffset.UtcNow, ModeArgument.NameOf(group.View), options.ClusterName, group.Name));
        call.Printer.Print(GroupItems.Joined(group));
        call.Printer.Flush();
        ulong lost = 0;
        var gate = new Lock();
        Task longs = new LongRecorder(writer, gate, start).RunAsync(group, end.Token);
        try
        {
            lost = await CopyAsync(group, writer, gate, start, call.Value(_count) ?? long.MaxValue, end.Token)
                .ConfigureAwait(false);
        }
        finally
        {
            await end.CancelAsync().ConfigureAwait(false);
            await longs.ConfigureAwait(false);
            writer.Complete(Stopwatch.GetElapsedTime(start));
            file.Flush(flushToDisk: true);
            call.Printer.Print(new PrintItem("recorded").Add("group", group.Name).Add("file", path)
                .Add("messages", writer.Messages).Add("lost", lost).Add("bytes", writer.Bytes)
                .Say($"{writer.Messages} messages of {TerminalText.Escape(group.Name)} recorded in "
                    + $"{TerminalText.Escape(path)} ({writer.Bytes} bytes)"));
        }
        return ExitCode.Done;
    }

    private static async Task<ulong> CopyAsync(
        Group group, RecordingWriter writer, Lock gate, long start, long count, CancellationToken end)
    {
        ulong lost = 0;
        var names = new Dictionary<MemberId, string>();
        await using IAsyncEnumerator<GroupEvent> events = group.ReadEventsAsync(end).GetAsyncEnumerator(end);
        try
        {
            while (count > 0)
            {
                ValueTask<bool> next = events.MoveNextAsync();
                // A crash loses what has not been handed to the system: no more than one burst.
                lock (gate)
                {
                    if (!next.IsCompleted || writer.Waiting > FlushAfter) writer.Flush();
                }
                if (!await next.ConfigureAwait(false)) return lost;
                if (ItemOf(events.Current, Stopwatch.GetElapsedTime(start), names) is not { } item) continue;
                lost += item.Lost;
                if (!item.IsLoss) count--;
                lock (gate) writer.Write(item);
            }
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // Its ordinary end.
        }
        return lost;
    }

    private static RecordedItem? ItemOf(GroupEvent happened, TimeSpan time, Dictionary<MemberId, string> names)
    {
        if (happened is MessageReceived { Message: var message })
        {
            names[message.Sender] = message.SenderName;
            return new RecordedItem(
                time, message.SenderName, message.Sender.ToString(), message.Sequence, message.Payload);
        }
        if (happened is not MessagesLost loss) return null;
        string name = names.GetValueOrDefault(loss.Sender, "");
        return new RecordedItem(time, name, loss.Sender.ToString(), loss.First, default)
        { IsLoss = true, Lost = loss.Count, Reason = loss.Reason.ToString() };
    }
}
