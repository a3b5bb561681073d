using System.Buffers;
using System.CommandLine;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Text;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Sends messages to a group: the lines of its input, or a text.</summary>
internal sealed class Pub : NodeCommand
{
    // A longer line is no message of anybody's.
    private const int LongestLine = 16 << 20;
    private static readonly TimeSpan LeastPause = TimeSpan.FromMilliseconds(1);

    private readonly Argument<string> _group = new("GROUP") { Description = "The group." };

    private readonly Option<string?> _text = new("--text")
    { Description = "The message, instead of the lines of the input.", HelpName = "TEXT" };

    private readonly Option<double> _rate = new Option<double>("--rate", "-r")
    { Description = "Messages a second at most; 0: as fast as the group takes them." }.AtLeast(0.0);

    private readonly Option<long?> _count = new("--count", "-n")
    { Description = "End after so many messages [default: 1 with --text, else all lines]." };

    private readonly Option<int> _wait = new Option<int>("--wait", "-w")
    {
        Description = "Begin when the group has so many members; 0: at once.",
        DefaultValueFactory = static _ => 1,
    }.AtLeast(0);

    private readonly ModeArgument _mode;

    /// <summary>Makes the command.</summary>
    public Pub()
        : base("pub", "Sends each line of the input to a group, or a text, and ends when all members hold it.")
    {
        Line.Arguments.Add(_group.NoOption());
        foreach (Option option in (Option[])[_text, _rate, _count.Positive(), _wait]) Line.Options.Add(option);
        _mode = new ModeArgument(Line);
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using GroupPublisher publisher = await _mode.EnterAsync(call, mode => node.OpenPublisherAsync(
            call.Value(_group), new PublisherOptions { Mode = mode }, call.Stop)).ConfigureAwait(false);
        int wanted = call.Value(_wait);
        if (wanted > 0)
            await WithinAsync(call, limit => publisher.WaitForMembersAsync(wanted, limit)).ConfigureAwait(false);
        long sent = 0;
        bool interrupted = false;
        try
        {
            var pace = new Pace(call.Value(_rate));
            long count = call.Value(_count) ?? (call.Value(_text) is null ? long.MaxValue : 1);
            await foreach (ReadOnlyMemory<byte> message in MessagesAsync(call).ConfigureAwait(false))
            {
                if (sent >= count) break;
                await pace.WaitAsync(sent, call.Stop).ConfigureAwait(false);
                await publisher.SendAsync(message, call.Stop).ConfigureAwait(false);
                if (++sent >= count) break;
            }
            await publisher.FlushAsync(call.Stop).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (call.Stop.IsCancellationRequested)
        {
            interrupted = true; // the dispose sends what was admitted
        }
        int members = publisher.View.MemberCount;
        call.Printer.Print(new PrintItem("sent").Add("group", publisher.Name).Add("messages", sent)
            .Add("members", members).Add("interrupted", interrupted)
            .Say($"{sent} messages sent to {members} members"));
        return ExitCode.Done;
    }

    private IAsyncEnumerable<ReadOnlyMemory<byte>> MessagesAsync(CommandCall call) =>
        call.Value(_text) is { } text ? Repeat(Encoding.UTF8.GetBytes(text)) : LinesAsync(call.Stop);

    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> Repeat(byte[] message)
    {
        await Task.CompletedTask.ConfigureAwait(false);
        while (true) yield return message;
    }

    // A read of the terminal cannot be cancelled: it is left behind when the process ends.
    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> LinesAsync(
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken stop)
    {
        PipeReader reader = PipeReader.Create(
            Console.OpenStandardInput(), new StreamPipeReaderOptions(bufferSize: 1 << 16));
        while (true)
        {
            ReadResult read = await Task.Run(() => reader.ReadAsync(CancellationToken.None).AsTask(), stop)
                .WaitAsync(stop).ConfigureAwait(false);
            ReadOnlySequence<byte> rest = read.Buffer;
            while (rest.PositionOf((byte)'\n') is { } end)
            {
                yield return Trim(rest.Slice(0, end).ToArray());
                rest = rest.Slice(rest.GetPosition(1, end));
            }
            if (rest.Length > LongestLine)
                throw CommandFailure.Of($"A line of the input is longer than {LongestLine} bytes.");
            if (read.IsCompleted)
            {
                if (!rest.IsEmpty) yield return Trim(rest.ToArray());
                yield break;
            }
            reader.AdvanceTo(rest.Start, rest.End);
        }
    }

    private static ReadOnlyMemory<byte> Trim(byte[] line) => line is [.., (byte)'\r'] ? line.AsMemory()[..^1] : line;

    // Evenly, from the first message on.
    private sealed class Pace(double perSecond)
    {
        private readonly long _start = Stopwatch.GetTimestamp();

        public async ValueTask WaitAsync(long number, CancellationToken stop)
        {
            if (perSecond <= 0) return;
            TimeSpan early = TimeSpan.FromSeconds(number / perSecond) - Stopwatch.GetElapsedTime(_start);
            if (early > LeastPause) await Task.Delay(early, stop).ConfigureAwait(false);
        }
    }
}
