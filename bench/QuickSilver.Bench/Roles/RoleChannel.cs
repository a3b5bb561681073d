using System.Text.Json;
using System.Threading.Channels;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Rounds;

namespace QuickSilver.Bench.Roles;

/// <summary>
/// A child process's end of its talk with the scenario: lines on standard input and output. When the input closes the
/// process ends, whatever it does.
/// </summary>
internal sealed class RoleChannel
{
    private readonly TaskCompletionSource<long> _total = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<long> _go = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly Channel<string> _commands = Channel.CreateUnbounded<string>();

    private RoleChannel(RoleOrder order) => Order = order;

    /// <summary>What to do.</summary>
    public RoleOrder Order { get; }

    /// <summary>Ends when the run begins, with the instant at which the scenario said so, in Stopwatch ticks: one clock
    /// for all processes of a machine.</summary>
    public Task<long> Go => _go.Task;

    /// <summary>Ends with the number of messages sent, when the sender has finished.</summary>
    public Task<long> Total => _total.Task;

    /// <summary>The commands that only some roles know, by kind, as they come. One reader.</summary>
    public ChannelReader<string> Commands => _commands.Reader;

    /// <summary>Reads the order and begins to listen.</summary>
    /// <exception cref="InvalidDataException">Standard input does not begin with an order.</exception>
    public static RoleChannel Open()
    {
        string line = Console.In.ReadLine() ?? throw new InvalidDataException("no order on standard input");
        RoleOrder order = JsonSerializer.Deserialize(line, RoleJson.Default.RoleOrder)
            ?? throw new InvalidDataException("an empty order on standard input");
        var channel = new RoleChannel(order);
        new Thread(channel.Listen) { IsBackground = true, Name = "scenario" }.Start();
        return channel;
    }

    /// <summary>Says that the run may begin.</summary>
    public void TellReady() => Tell(new RoleLine("ready"));

    /// <summary>Hands in the findings.</summary>
    public void TellResult(ProcessReport result) => Tell(new RoleLine("result", result));

    /// <summary>Says why there are none.</summary>
    public void TellFailure(string failure) => Tell(new RoleLine("failed", Failure: failure));

    /// <summary>Says that something asked for has been done.</summary>
    public void TellDone(string what) => Tell(new RoleLine(what));

    /// <summary>Says what it did since it was asked before.</summary>
    public void TellFigures(RoundFigures figures) => Tell(new RoleLine(RoundCommands.Figures, Figures: figures));

    /// <summary>Waits for the scenario to close the input: until then the process stays, because others may need
    /// it.</summary>
    public static Task StayAsync() => Task.Delay(Timeout.Infinite);

    private static void Tell(RoleLine line) =>
        Console.WriteLine(JsonSerializer.Serialize(line, RoleJson.Default.RoleLine));

    private void Listen()
    {
        while (Console.In.ReadLine() is { } line)
        {
            if (JsonSerializer.Deserialize(line, RoleJson.Default.RoleCommand) is not { } command) continue;
            if (command.Kind == "go") _go.TrySetResult(command.Total);
            else if (command.Kind == "total") _total.TrySetResult(command.Total);
            else _commands.Writer.TryWrite(command.Kind);
        }
        // The scenario is over, or was killed. Nothing here is worth an orderly end.
        Environment.Exit(0);
    }
}
