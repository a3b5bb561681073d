using System.Globalization;
using QuickSilver.Bench.Processes;

namespace QuickSilver.Bench.Lab;

/// <summary>
/// A server between senders and receivers, with a folder of its own for whatever it writes. Killed when disposed, with
/// its children.
/// </summary>
internal sealed class Broker : IAsyncDisposable
{
    private const int TicksPerSecond = 100;
    private const int ParentAt = 1;
    private const int UserTicksAt = 11;
    private const int SystemTicksAt = 12;

    private readonly ChildProcess _child;
    private readonly DirectoryInfo _folder;

    private Broker(ChildProcess child, DirectoryInfo folder)
    {
        _child = child;
        _folder = folder;
    }

    /// <summary>Its last words.</summary>
    public string LastLines => _child.LastLines;

    /// <summary>Starts one; whether it is ready is for those who connect to find out.</summary>
    /// <param name="command">Made from the folder that it may use.</param>
    public static Broker Start(
        Func<string, (IReadOnlyList<string> Command, IReadOnlyDictionary<string, string>? Environment)> command)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("quicksilver-broker-");
        (IReadOnlyList<string> words, IReadOnlyDictionary<string, string>? environment) = command(folder.FullName);
        return new Broker(ChildProcess.Start("broker", words, null, environment), folder);
    }

    /// <summary>Processor time so far of the broker and its children, in seconds.</summary>
    public double CpuSeconds()
    {
        var processes = new Dictionary<int, (int Parent, long Ticks)>();
        foreach (string path in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(path), CultureInfo.InvariantCulture, out int id)
                && TryRead(path, out int parent, out long ticks))
            {
                processes[id] = (parent, ticks);
            }
        }
        return processes.Where(process => IsOwn(process.Key))
            .Sum(process => process.Value.Ticks) / (double)TicksPerSecond;

        bool IsOwn(int id)
        {
            while (id != _child.Id)
            {
                if (!processes.TryGetValue(id, out (int Parent, long Ticks) process)) return false;
                id = process.Parent;
            }
            return true;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _child.Kill();
        await _child.DisposeAsync();
        _folder.Delete(recursive: true);
    }

    private static bool TryRead(string path, out int parent, out long ticks)
    {
        parent = 0;
        ticks = 0;
        try
        {
            string text = File.ReadAllText(Path.Combine(path, "stat"));
            // The name, in parentheses, may hold anything; state is the first field after it.
            string[] fields = text[(text.LastIndexOf(')') + 2)..].Split(' ');
            parent = int.Parse(fields[ParentAt], CultureInfo.InvariantCulture);
            ticks = long.Parse(fields[UserTicksAt], CultureInfo.InvariantCulture)
                + long.Parse(fields[SystemTicksAt], CultureInfo.InvariantCulture);
            return true;
        }
        catch (IOException)
        {
            // It has ended.
            return false;
        }
    }
}
