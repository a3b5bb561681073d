using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Networks;

/// <summary>
/// A node that runs as a process of its own, here or at a host of a <see cref="NetworkNamespaces"/>: told what to
/// do by lines, heard by lines. All lines are kept, in order; a wait looks at those that came after the last one
/// found by a wait with the same beginning, so that the same answer can be waited for again.
/// </summary>
internal sealed class NetworkNode : IAsyncDisposable
{
    /// <summary>How long a wait lasts before the test fails.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(40);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(10);

    private readonly List<string> _lines = [];
    private readonly Dictionary<string, int> _found = [];
    private readonly ChildProcess _process;

    private NetworkNode(
        IEnumerable<string> prefix, string name, IEnumerable<string> options, string program = "TestMember.dll")
    {
        Name = name;
        program = Path.Combine(AppContext.BaseDirectory, program);
        string[] all = [.. options];
        bool isNamed = Array.Exists(all, static one => one.StartsWith("ClusterName=", StringComparison.Ordinal));
        string[] arguments = [.. isNamed ? all : ["ClusterName=networks", .. all], $"NodeName={name}"];
        _process = ChildProcess.Start(name, [.. prefix, .. ChildProcess.CommandOf(program, arguments)], OnLine);
    }

    /// <summary>The node's name.</summary>
    public string Name { get; }

    /// <summary>The process, for signals.</summary>
    public int ProcessId => _process.Id;

    /// <summary>What it has said so far.</summary>
    public IReadOnlyList<string> Lines
    {
        get
        {
            lock (_lines) return [.. _lines];
        }
    }

    /// <summary>Starts the process and its node, and waits until the node runs.</summary>
    public static Task<NetworkNode> StartAsync(
        NetworkNamespaces network, int host, string name, IEnumerable<string> options) =>
        StartAsync(Launch(network, host, name, options));

    /// <summary>As <see cref="StartAsync(NetworkNamespaces, int, string, IEnumerable{string})"/>, on this machine. The
    /// options say what secures it.</summary>
    public static Task<NetworkNode> StartHereAsync(string name, IEnumerable<string> options) =>
        StartAsync(LaunchHere(name, options));

    /// <summary>Starts the process alone on this machine.</summary>
    public static NetworkNode LaunchHere(string name, IEnumerable<string> options) => new([], name, options);

    private static async Task<NetworkNode> StartAsync(NetworkNode node)
    {
        try
        {
            await node.TellAsync("start");
            await node.WaitForAsync("started ");
            return node;
        }
        catch
        {
            await node.DisposeAsync();
            throw;
        }
    }

    /// <summary>Starts the process alone: the test says "start" to it when it likes.</summary>
    public static NetworkNode Launch(
        NetworkNamespaces network, int host, string name, IEnumerable<string> options,
        string program = "TestMember.dll") =>
        new(
            NamespaceSet.PrefixOf(network.NameOf(host)), name,
            options.Any(static one => one.StartsWith("Security:Mode=", StringComparison.Ordinal))
                ? options
                : [TestSecurity.Line, .. options],
            program);

    /// <summary>As <see cref="StartAsync(NetworkNamespaces, int, string, IEnumerable{string})"/>, with the packages of
    /// the previous version of QuickSilver.</summary>
    public static Task<NetworkNode> StartPreviousAsync(
        NetworkNamespaces network, int host, string name, IEnumerable<string> options) =>
        StartAsync(new NetworkNode(
            NamespaceSet.PrefixOf(network.NameOf(host)),
            name,
            [TestSecurity.Line, .. options],
            Path.Combine("Previous", "PreviousMember.dll")));

    /// <summary>Tells it a command.</summary>
    public Task TellAsync(string command) => _process.TellAsync(command);

    /// <summary>Waits for a line, and takes it: the next wait for the same beginning looks behind it.</summary>
    /// <param name="beginning">How it begins.</param>
    /// <param name="part">What it has in it too.</param>
    /// <param name="patience">How long; null: <see cref="Patience"/>.</param>
    /// <returns>The line.</returns>
    public async Task<string> WaitForAsync(string beginning, string part = "", TimeSpan? patience = null)
    {
        TimeSpan limit = patience ?? Patience;
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            bool hasEnded = _process.Exit.IsCompleted;
            if (TryTake(beginning, part) is { } line) return line;
            if (hasEnded || Stopwatch.GetElapsedTime(start) > limit)
            {
                Assert.Fail(
                    $"{Name} {(hasEnded ? "ended without "
                        + "saying" : $"did not say within {limit.TotalSeconds:0} s")} '{beginning}' "
                    + $"with '{part}'. It said:{Environment.NewLine}"
                    + string.Join(Environment.NewLine, Lines.TakeLast(60))
                    + (hasEnded ? $"{Environment.NewLine}{_process.LastLines}" : ""));
            }
            await Task.Delay(Look, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>Tells it a command and waits for its answer, which begins with the command's own words or with
    /// others.</summary>
    public async Task<string> AskAsync(string command, string answer)
    {
        await TellAsync(command);
        return await WaitForAsync(answer);
    }

    /// <summary>How many messages of a group it has received.</summary>
    public async Task<long> CountAsync(string group)
    {
        string answer = await AskAsync($"received {group}", $"received {group} ");
        return long.Parse(answer.Split(' ')[2], CultureInfo.InvariantCulture);
    }

    /// <summary>Waits until it has received so many messages of a group.</summary>
    public async Task WaitForCountAsync(string group, long count, TimeSpan? patience = null)
    {
        long start = Stopwatch.GetTimestamp();
        long received;
        while ((received = await CountAsync(group)) < count)
        {
            if (Stopwatch.GetElapsedTime(start) > (patience ?? Patience))
            {
                Assert.Fail(
                    $"{Name} has received {received} of {count} messages of {group}. It said:{Environment.NewLine}"
                    + string.Join(
                        Environment.NewLine,
                        Lines.Where(static line => !line.StartsWith("received", StringComparison.Ordinal))
                            .TakeLast(60)));
            }
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>Waits for something that has to be asked for again and again.</summary>
    public static async Task UntilAsync(Func<Task<bool>> holds)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await holds())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Patience, "it never came to that");
            await Task.Delay(100, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>The figures of its node, of less than a second ago.</summary>
    public async Task<NodeStatistics> StatisticsAsync()
    {
        await Task.Delay(TimeSpan.FromSeconds(1.2), TestContext.Current.CancellationToken);
        string line = await AskAsync("statistics", "statistics ");
        return JsonSerializer.Deserialize<NodeStatistics>(line["statistics ".Length..])!;
    }

    /// <summary>Stops the process, as kill -STOP does, or lets it go on.</summary>
    public void Freeze(bool begins) =>
        NamespaceSet.Run(["kill", begins ? "-STOP" : "-CONT", ProcessId.ToString(CultureInfo.InvariantCulture)]);

    /// <summary>Kills it, as kill -9 does.</summary>
    public void Kill() => _process.Kill();

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private string? TryTake(string beginning, string part)
    {
        lock (_lines)
        {
            for (int index = _found.GetValueOrDefault(beginning); index < _lines.Count; index++)
            {
                string line = _lines[index];
                if (!line.StartsWith(beginning, StringComparison.Ordinal)
                    || !line.Contains(part, StringComparison.Ordinal)) continue;
                _found[beginning] = index + 1;
                return line;
            }
            return null;
        }
    }

    private void OnLine(string line)
    {
        lock (_lines) _lines.Add(line);
    }
}
