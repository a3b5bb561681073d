using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Measures round trips to other nodes that run it, in a group of their own.</summary>
internal sealed class Ping : NodeCommand
{
    private const string DefaultGroup = "quicksilver.ping";
    private const byte Question = 1;
    private const byte Answer = 2;
    private const int Bytes = 1 + 8 + 8;

    private readonly Argument<string> _group = new("GROUP")
    {
        Description = "The group of those that answer; not one of an application.",
        DefaultValueFactory = _ => DefaultGroup,
    };

    private readonly Option<int?> _count = new("--count", "-n") { Description = "End after so many questions." };

    private readonly Option<double> _interval = new Option<double>("--interval")
    { Description = "Seconds between questions.", DefaultValueFactory = static _ => 1 }.Above(0.0);

    private readonly Option<bool> _answer = new("--answer") { Description = "Only answer others." };

    /// <summary>Makes the command.</summary>
    public Ping()
        : base("ping", "Measures round trips of messages to other nodes that run 'quicksilver ping --answer'.")
    {
        Line.Arguments.Add(_group.NoOption());
        foreach (Option option in (Option[])[_count.Positive(), _interval, _answer]) Line.Options.Add(option);
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        ulong own = (ulong)Random.Shared.NextInt64();
        var answers = new ConcurrentQueue<(string Name, long Number, long Arrived)>();
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        var options = new GroupOptions
        {
            BufferBeforeFirstRead = false,
            SelfDelivery = false,
            OnMessage = (in message) =>
            {
                if (message.Payload.Length != Bytes) return;
                bool isOwn = BinaryPrimitives.ReadUInt64LittleEndian(message.Payload[1..]) == own;
                if (message.Payload[0] == Answer && isOwn)
                {
                    long number = BinaryPrimitives.ReadInt64LittleEndian(message.Payload[9..]);
                    answers.Enqueue((message.SenderName, number, Stopwatch.GetTimestamp()));
                }
                else if (message.Payload[0] == Question)
                {
                    Span<byte> reply = stackalloc byte[Bytes];
                    message.Payload.CopyTo(reply);
                    reply[0] = Answer;
                    message.Group?.TrySend(reply);
                }
            },
        };
        await using Group group = await node.JoinAsync(call.Value(_group), options, call.Stop).ConfigureAwait(false);
        call.Printer.Print(GroupItems.Joined(group));
        call.Printer.Flush();
        if (call.Value(_answer)) await group.Completion.WaitAsync(call.Stop).ConfigureAwait(false);
        else await AskAsync(call, group, own, answers).ConfigureAwait(false);
        return ExitCode.Done;
    }

    private async Task AskAsync(
        CommandCall call, Group group, ulong own, ConcurrentQueue<(string Name, long Number, long Arrived)> answers)
    {
        await WithinAsync(call, limit => group.WaitForMembersAsync(2, limit)).ConfigureAwait(false);
        var sent = new Dictionary<long, long>();
        var all = new SortedDictionary<string, List<double>>(StringComparer.Ordinal);
        int count = call.Value(_count) ?? int.MaxValue;
        byte[] question = new byte[Bytes];
        question[0] = Question;
        BinaryPrimitives.WriteUInt64LittleEndian(question.AsSpan(1), own);
        using var interval = new PeriodicTimer(TimeSpan.FromSeconds(call.Value(_interval)));
        try
        {
            for (int number = 0; number < count; number++)
            {
                BinaryPrimitives.WriteInt64LittleEndian(question.AsSpan(9), number);
                sent.Add(number, Stopwatch.GetTimestamp());
                await group.SendAsync(question.AsMemory(), call.Stop).ConfigureAwait(false);
                await interval.WaitForNextTickAsync(call.Stop).ConfigureAwait(false);
                Tell(call, sent, all, answers);
            }
        }
        catch (OperationCanceledException) when (call.Stop.IsCancellationRequested)
        {
            // Its ordinary end, with the summary.
        }
        foreach ((string name, List<double> times) in all)
        {
            call.Printer.Print(new PrintItem("summary").Add("node", name).Add("questions", sent.Count)
                .Add("answers", times.Count).Add("least", times.Min()).Add("mean", times.Average())
                .Add("most", times.Max()).Say(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{TerminalText.Escape(name)}: {times.Count} of {sent.Count} answered, "
                    + $"{times.Min():0.000}/{times.Average():0.000}/{times.Max():0.000} ms (least/mean/most)")));
        }
        if (all.Count == 0) throw CommandFailure.Of("No node has answered: run 'quicksilver ping --answer' elsewhere.");
    }

    private static void Tell(
        CommandCall call, Dictionary<long, long> sent, SortedDictionary<string, List<double>> all,
        ConcurrentQueue<(string Name, long Number, long Arrived)> answers)
    {
        while (answers.TryDequeue(out (string Name, long Number, long Arrived) answer))
        {
            if (!sent.TryGetValue(answer.Number, out long start)) continue;
            double milliseconds = Stopwatch.GetElapsedTime(start, answer.Arrived).TotalMilliseconds;
            if (!all.TryGetValue(answer.Name, out List<double>? times)) all.Add(answer.Name, times = []);
            times.Add(milliseconds);
            call.Printer.Print(new PrintItem("round trip").Add("node", answer.Name).Add("number", answer.Number)
                .Add("milliseconds", milliseconds).Say(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{TerminalText.Escape(answer.Name)}: {answer.Number} {milliseconds:0.000} ms")));
        }
        call.Printer.Flush();
    }
}
