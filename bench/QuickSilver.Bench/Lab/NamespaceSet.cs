using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace QuickSilver.Bench.Lab;

/// <summary>
/// The network namespaces of one run or test, with their bridges and cards; all go with it, and every process inside.
/// What is to be made is gathered as lines of a script, and made by <see cref="Apply"/> in one go. Needs Linux, root
/// and iproute2.
/// </summary>
internal sealed class NamespaceSet : IDisposable
{
    private static readonly string[] ToolFolders = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    // Waits until this process has closed its input, in whatever way it ended, and then takes away what is left.
    private const string GuardScript = """
        trap '' INT TERM HUP
        names=
        while read -r name; do names="$names $name"; done
        for name in $names; do
            ip netns pids "$name" 2>/dev/null | xargs -r kill -9 2>/dev/null
            ip netns del "$name" 2>/dev/null
        done
        """;

    private static readonly Lazy<bool> Probed = new(Probe);
    private static int _made;

    private readonly StringBuilder _script = new();
    private readonly List<string> _namespaces = [];
    private readonly List<string> _unguarded = [];
    private Process? _guard;

    /// <summary>Makes a set without a namespace.</summary>
    public NamespaceSet() => Name = $"qs{Environment.ProcessId}x{Interlocked.Increment(ref _made)}";

    /// <summary>How the names of its namespaces begin: no other set has it.</summary>
    public string Name { get; }

    /// <summary>Whether this process may make namespaces: root in a container may still not be allowed to.</summary>
    public static bool CanMake => Probed.Value;

    /// <summary>Whether a program is there.</summary>
    public static bool HasTool(string name) => ToolFolders.Any(folder => File.Exists(Path.Combine(folder, name)));

    /// <summary>The words before a command that make it run inside a namespace.</summary>
    public static IReadOnlyList<string> PrefixOf(string name) => ["ip", "netns", "exec", name];

    /// <summary>Adds a namespace whose loopback is up, with multicast over it or not.</summary>
    /// <param name="suffix">What its name ends with.</param>
    /// <param name="loopbackMulticast">Whether its multicast goes by loopback.</param>
    /// <returns>Its name.</returns>
    public string Add(string suffix, bool loopbackMulticast = false)
    {
        string name = Name + suffix;
        _namespaces.Add(name);
        _unguarded.Add(name);
        Line($"ip netns add {name}");
        Line($"ip -n {name} link set lo up{(loopbackMulticast ? " multicast on" : "")}");
        if (loopbackMulticast) Line($"ip -n {name} route add 224.0.0.0/4 dev lo");
        return name;
    }

    /// <summary>Adds a bridge, a switch that floods multicast, to a namespace.</summary>
    public void AddBridge(string name, string bridge)
    {
        Line($"ip -n {name} link add {bridge} type bridge mcast_snooping 0");
        Line($"ip -n {name} link set {bridge} up");
    }

    /// <summary>Gives a namespace a network card, and plugs it into a bridge.</summary>
    /// <param name="name">The namespace.</param>
    /// <param name="card">The card's name.</param>
    /// <param name="address">Its address, with the length of its network's prefix.</param>
    /// <param name="switchName">The namespace with the bridge.</param>
    /// <param name="bridge">The bridge.</param>
    /// <param name="port">The name of the cable's other end, at the bridge.</param>
    public void Attach(string name, string card, string address, string switchName, string bridge, string port)
    {
        Line($"ip -n {switchName} link add {port} type veth peer name {card} netns {name}");
        Line($"ip -n {switchName} link set {port} master {bridge} up");
        Line($"ip -n {name} addr add {address} dev {card}");
        Line($"ip -n {name} link set {card} up");
    }

    /// <summary>Adds a line to the script, which the shell reads.</summary>
    public void Line(string line) => _script.Append(line).Append('\n');

    /// <summary>Makes what has been added since the last time.</summary>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public void Apply()
    {
        string script = _script.ToString();
        _script.Clear();
        Guard();
        Run(["sh", "-e"], script);
    }

    /// <summary>Runs a command of the system to its end.</summary>
    /// <param name="command">The program and its arguments.</param>
    /// <param name="input">Its standard input.</param>
    /// <returns>What it printed.</returns>
    /// <exception cref="InvalidOperationException">It failed; the message has its own words.</exception>
    public static string Run(IReadOnlyList<string> command, string? input = null)
    {
        var start = new ProcessStartInfo(command[0], command.Skip(1))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"cannot run {command[0]}");
        Task<string> errors = process.StandardError.ReadToEndAsync();
        process.StandardInput.Write(input);
        process.StandardInput.Close();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0
            ? output : throw new InvalidOperationException($"{string.Join(' ', command)}: {errors.Result.Trim()}");
    }

    /// <summary>Ends every process in it and takes it away.</summary>
    public void Dispose()
    {
        foreach (string name in _namespaces)
        {
            try
            {
                foreach (string id in Run(["ip", "netns", "pids", name])
                    .Split('\n', StringSplitOptions.RemoveEmptyEntries))
                {
                    Kill(int.Parse(id, CultureInfo.InvariantCulture));
                }
                Run(["ip", "netns", "del", name]);
            }
            catch (InvalidOperationException)
            {
                // It was never made.
            }
        }
        _namespaces.Clear();
        if (_guard is null) return;
        _guard.StandardInput.Close();
        _guard.WaitForExit();
        _guard.Dispose();
        _guard = null;
    }

    // Killed, this process could take nothing away: the guard does then.
    private void Guard()
    {
        _guard ??= Process.Start(new ProcessStartInfo("sh", ["-c", GuardScript])
        {
            RedirectStandardInput = true,
            RedirectStandardError = true,
            RedirectStandardOutput = true,
        });
        foreach (string name in _unguarded) _guard!.StandardInput.WriteLine(name);
        _guard!.StandardInput.Flush();
        _unguarded.Clear();
    }

    private static bool Probe()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess || !HasTool("ip")) return false;
        using var set = new NamespaceSet();
        try
        {
            string name = set.Add("", loopbackMulticast: true);
            set.AddBridge(name, "br0");
            set.Attach(name, "eth0", "10.77.0.1/24", name, "br0", "port0");
            set.Apply();
            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    private static void Kill(int id)
    {
        try
        {
            Process.GetProcessById(id).Kill();
        }
        catch (Exception gone)
            when (gone is ArgumentException or InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            // It has just ended.
        }
    }
}
