using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;
using QuickSilver.Cli.Recordings;

namespace QuickSilver.Cli.Commands;

/// <summary>Sends the messages of a recording to a group, or prints them.</summary>
internal sealed class Replay : NodeCommand
{
    private static readonly TimeSpan LeastPause = TimeSpan.FromMilliseconds(1);

    private readonly Argument<string> _file = new("FILE") { Description = "The recording." };

    private readonly Option<string?> _group = new("--group", "-g")
    { Description = "The group [default: that of the recording].", HelpName = "GROUP" };

    private readonly Option<double> _speed = new Option<double>("--speed")
    {
        Description = "The pace: 1 is that of the recording, 2 twice as fast.",
        DefaultValueFactory = static _ => 1,
    }.Above(0.0);

    private readonly Option<bool> _fast = new("--as-fast-as-possible")
    { Description = "As fast as the group takes the messages." };

    private readonly Option<int> _wait = new Option<int>("--wait", "-w")
    {
        Description = "Begin when the group has so many members; 0: at once.",
        DefaultValueFactory = static _ => 1,
    }.AtLeast(0);

    private readonly Option<bool> _print = new("--print")
    { Description = "Print the messages as sub does, at once; no node is started." };

    /// <summary>Makes the command.</summary>
    public Replay()
        : base("replay", "Sends the messages of a recording to a group, at the recorded pace or another.")
    {
        Line.Arguments.Add(_file.NoOption());
        foreach (Option option in (Option[])[_group, _speed, _fast, _wait, _print]) Line.Options.Add(option);
        Line.Validators.Add(result =>
        {
            if (result.GetResult(_speed) is { Implicit: false } && result.GetResult(_fast) is { Implicit: false })
                result.AddError("Give --speed or --as-fast-as-possible, not both.");
        });
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        await using FileStream file = File.OpenRead(call.Value(_file));
        await using var buffered = new BufferedStream(file, 1 << 16);
        RecordingReader reader;
        try
        {
            reader = RecordingReader.Open(buffered);
        }
        catch (RecordingFault fault)
        {
            throw new CommandFailure(ExitCode.NotInOrder, fault.Message);
        }
        if (call.Value(_print)) Print(reader, call);
        else await SendAsync(reader, call).ConfigureAwait(false);
        if (reader.Lost > 0)
        {
            call.Printer.Print(new PrintItem("gaps").Add("lost", reader.Lost).Remark(string.Create(
                CultureInfo.InvariantCulture, $"{reader.Lost} messages had not arrived at the recorder.")));
        }
        if (EndText.Of(reader) is not { } trouble) return ExitCode.Done;
        if (reader.End == RecordingEnd.None) return ExitCode.Done; // Ctrl+C
        call.Printer.Error(trouble, ExitCode.NotInOrder);
        return ExitCode.NotInOrder;
    }

    private static void Print(RecordingReader reader, CommandCall call)
    {
        while (!call.Stop.IsCancellationRequested && reader.Read() is { } item)
            call.Printer.Print(RecordingItems.Of(item, reader.Header));
        call.Printer.Print(RecordingItems.Summary("read", reader));
    }

    private async Task SendAsync(RecordingReader reader, CommandCall call)
    {
        string name = call.Value(_group) ?? reader.Header.Group;
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using GroupPublisher publisher = await ModeArgument.EnterAsync(
            reader.Header.Mode,
            mode => node.OpenPublisherAsync(name, new PublisherOptions { Mode = mode }, call.Stop))
            .ConfigureAwait(false);
        int wanted = call.Value(_wait);
        if (wanted > 0)
            await WithinAsync(call, limit => publisher.WaitForMembersAsync(wanted, limit)).ConfigureAwait(false);
        double speed = call.Value(_fast) ? 0 : call.Value(_speed);
        long start = Stopwatch.GetTimestamp();
        await using var longs = new LongReplay(publisher);
        try
        {
            while (reader.Read() is { } item)
            {
                if (item.IsLoss) continue;
                if (speed > 0)
                {
                    TimeSpan early = item.Time / speed - Stopwatch.GetElapsedTime(start);
                    if (early > LeastPause) await Task.Delay(early, call.Stop).ConfigureAwait(false);
                }
                if (item.Part is null) await publisher.SendAsync(item.Payload, call.Stop).ConfigureAwait(false);
                else await longs.SendAsync(item, call.Stop).ConfigureAwait(false);
            }
            await publisher.FlushAsync(call.Stop).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (call.Stop.IsCancellationRequested)
        {
            // The dispose sends what was admitted.
        }
        call.Printer.Print(RecordingItems.Summary("replayed", reader).Add("to", name)
            .Add("members", publisher.View.MemberCount).Add("seconds", Stopwatch.GetElapsedTime(start)));
    }
}
