using System.Globalization;
using System.Reflection;
using System.Text.Json;
using System.Threading.Channels;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Scenarios.Wide;

/// <summary>The scenario's end of its talk with the process of a site (<see cref="SiteProgram"/>).</summary>
internal sealed class SiteProcess : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(10);

    private readonly string _name;
    private readonly Channel<string> _lines = Channel.CreateUnbounded<string>();
    private readonly ChildProcess _child;

    private SiteProcess(string name, IReadOnlyList<string> command)
    {
        _name = name;
        var environment = new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" };
        _child = ChildProcess.Start(name, command, line => _lines.Writer.TryWrite(line), environment);
        _ = EndAsync();
    }

    /// <summary>Starts it; it is ready when <see cref="ReadyAsync"/> ends.</summary>
    /// <param name="plan">What it is told.</param>
    /// <param name="prefix">The words that make a command run at its place.</param>
    public static async Task<SiteProcess> StartAsync(SitePlan plan, IReadOnlyList<string> prefix)
    {
        IReadOnlyList<string> own = ChildProcess.CommandOf(Assembly.GetEntryAssembly()!, SiteProgram.Word);
        var process = new SiteProcess(plan.Names[plan.Site], [.. prefix, .. own]);
        await process._child.TellAsync(JsonSerializer.Serialize(plan, SitePlanJson.Default.SitePlan));
        return process;
    }

    /// <summary>Waits until its gateway reaches all sites or stands by, and its member is in the groups.</summary>
    public async Task ReadyAsync() => _ = await LineAsync("ready");

    /// <summary>How it stands, and its last lines, for a person.</summary>
    public async Task<string> StateAsync()
    {
        if (_child.Exit.IsCompleted) return $"{_name} has ended: {_child.LastLines}";
        await _child.TellAsync("state");
        return $"{_name}: {string.Join(' ', (await LineAsync("state")).Skip(1))}\n{_child.LastLines}";
    }

    /// <summary>Kills it, as kill -9 does.</summary>
    public void Kill() => _child.Kill();

    /// <summary>Gives a command, and takes its answer.</summary>
    /// <returns>The numbers after the first word.</returns>
    /// <exception cref="RunFailedException">It failed, or does not answer.</exception>
    public async Task<double[]> AskAsync(string command, string answer)
    {
        await _child.TellAsync(command);
        string[] words = await LineAsync(answer);
        return [.. words.Skip(1).Select(static one => double.Parse(one, CultureInfo.InvariantCulture))];
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _child.DisposeAsync();

    private async Task<string[]> LineAsync(string word)
    {
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            string line = await _lines.Reader.ReadAsync(patience.Token);
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return words is [var first, ..] && first == word ? words : throw new RunFailedException($"{_name}: {line}");
        }
        catch (OperationCanceledException)
        {
            throw new RunFailedException($"{_name} did not answer '{word}' within {Patience}");
        }
        catch (ChannelClosedException)
        {
            throw new RunFailedException($"{_name} has ended: {_child.LastLines}");
        }
    }

    private async Task EndAsync()
    {
        await _child.Exit;
        _lines.Writer.TryComplete();
    }
}
