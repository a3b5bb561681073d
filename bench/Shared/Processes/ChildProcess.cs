using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace QuickSilver.Bench.Processes;

/// <summary>
/// A .NET program run as a child, with its lines read and its standard input kept open. A child that ends with its
/// standard input (<c>--tied</c>) does not outlive this process, however this one ends; disposing closes that input,
/// waits a little and then kills.
/// </summary>
internal sealed class ChildProcess : IChild
{
    private const int LinesKept = 30;
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(3);

    private readonly Process _process;
    private readonly Queue<string> _lines = [];

    private ChildProcess(string name, Process process, Action<string>? onLine)
    {
        Name = name;
        _process = process;
        Task output = ReadAsync(process.StandardOutput, onLine);
        Task errors = ReadAsync(process.StandardError, null);
        Exit = WaitAsync(output, errors);
    }

    /// <summary>Its name in messages.</summary>
    public string Name { get; }

    /// <summary>The exit code, once the child has ended and all it printed was read.</summary>
    public Task<int> Exit { get; }

    /// <summary>The operating system's number for it.</summary>
    public int Id => _process.Id;

    /// <summary>The last lines it printed, errors included.</summary>
    public string LastLines
    {
        get
        {
            lock (_lines) return string.Join(Environment.NewLine, _lines);
        }
    }

    /// <summary>Starts a program with the runtime that runs this one.</summary>
    /// <param name="name">Its name in messages.</param>
    /// <param name="assembly">Path of its dll.</param>
    /// <param name="arguments">Its command line.</param>
    /// <param name="onLine">Told each line of its standard output, on a pool thread.</param>
    /// <param name="environment">Added to this process's own.</param>
    public static ChildProcess Start(
        string name, string assembly, IEnumerable<string> arguments, Action<string>? onLine = null,
        IReadOnlyDictionary<string, string>? environment = null) =>
        Start(name, CommandOf(assembly, [.. arguments]), onLine, environment);

    /// <summary>Starts any program.</summary>
    /// <param name="name">Its name in messages.</param>
    /// <param name="command">The program and its arguments.</param>
    /// <param name="onLine">Told each line of its standard output, on a pool thread.</param>
    /// <param name="environment">Added to this process's own.</param>
    public static ChildProcess Start(
        string name, IReadOnlyList<string> command, Action<string>? onLine = null,
        IReadOnlyDictionary<string, string>? environment = null)
    {
        var start = new ProcessStartInfo(command[0], command.Skip(1))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        foreach ((string variable, string value) in environment ?? new Dictionary<string, string>())
            start.Environment[variable] = value;
        return new ChildProcess(name, Process.Start(start)!, onLine);
    }

    /// <summary>The command that runs a .NET program with the runtime that runs this one.</summary>
    /// <param name="assembly">Path of its dll.</param>
    /// <param name="arguments">Its command line.</param>
    public static IReadOnlyList<string> CommandOf(string assembly, params string[] arguments) =>
        [RuntimeHost(), assembly, .. arguments];

    /// <summary>The command that starts this program once more, in the form in which it runs: with the runtime, or
    /// compiled ahead of time.</summary>
    /// <param name="program">The program's assembly. Its location is not asked for, since a natively compiled one has
    /// none.</param>
    /// <param name="arguments">Its command line.</param>
    public static IReadOnlyList<string> CommandOf(Assembly program, params string[] arguments) =>
        RuntimeFeature.IsDynamicCodeSupported
        ? CommandOf(Path.Combine(AppContext.BaseDirectory, program.GetName().Name + ".dll"), arguments)
        : [Environment.ProcessPath!, .. arguments];

    /// <summary>Writes a line to its standard input; nothing if it has gone.</summary>
    public async Task TellAsync(string line)
    {
        try
        {
            await _process.StandardInput.WriteLineAsync(line);
            await _process.StandardInput.FlushAsync();
        }
        catch (IOException)
        {
            // It has ended: Exit says how.
        }
    }

    /// <summary>Kills it and its children at once; nothing if it has gone.</summary>
    public void Kill()
    {
        if (!_process.HasExited) _process.Kill(entireProcessTree: true);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        try
        {
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // What was not yet flushed has nobody to read it.
        }
        if (await Task.WhenAny(Exit, Task.Delay(Grace)) != Exit) _process.Kill(entireProcessTree: true);
        await Exit;
        _process.Dispose();
    }

    private static string RuntimeHost()
    {
        string? running = Environment.ProcessPath;
        if (running is not null && Path.GetFileNameWithoutExtension(running) == "dotnet") return running;
        return Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
    }

    private async Task ReadAsync(StreamReader reader, Action<string>? onLine)
    {
        while (await reader.ReadLineAsync() is { } line)
        {
            lock (_lines)
            {
                if (_lines.Count == LinesKept) _lines.Dequeue();
                _lines.Enqueue(line);
            }
            onLine?.Invoke(line);
        }
    }

    private async Task<int> WaitAsync(Task output, Task errors)
    {
        await _process.WaitForExitAsync();
        await Task.WhenAll(output, errors);
        return _process.ExitCode;
    }
}
