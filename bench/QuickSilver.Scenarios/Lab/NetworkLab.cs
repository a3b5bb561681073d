using System.Diagnostics;
using System.Globalization;
using System.Text;
using QuickSilver.Samples.Processes;

namespace QuickSilver.Scenarios.Lab;

/// <summary>
/// The network of one run: made of namespaces, veth pairs and a bridge, gone with the run and everything in it. Members are numbered from 0; each of
/// those that drop lets a share of all packets that reach it vanish, each on its own, before the kernel puts fragments together, whatever the
/// protocol: so all systems are measured under the same loss.
/// </summary>
internal sealed class NetworkLab : IDisposable
{
    private const string Subnet = "10.77.0.";
    private const int Denominator = 100_000;
    private const int MostMembers = 250;
    private static readonly string[] ToolFolders = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    private static readonly Lazy<bool> Probed = new(Probe);
    private static int _made;

    private readonly NetProfile _profile;
    private readonly string _name;
    private readonly List<string> _namespaces = [];
    private readonly Dictionary<int, int> _ports = [];

    private NetworkLab(NetProfile profile)
    {
        _profile = profile;
        _name = $"qs{Environment.ProcessId}x{Interlocked.Increment(ref _made)}";
    }

    /// <summary>Whether each member has a machine of its own, as far as addresses go.</summary>
    public bool HasMachines => _profile is NetProfile.Bridge or NetProfile.Wire;

    /// <summary>Whether the run has its network for itself.</summary>
    public bool IsPrivate => _profile != NetProfile.Host;

    /// <summary>Whether this process may make namespaces.</summary>
    public static bool CanMake => Probed.Value;

    /// <summary>Why a kind of network cannot be made here, and what would help; null: it can.</summary>
    public static string? Refusal(NetProfile profile) => profile switch
    {
        NetProfile.Host => null,
        _ when !CanMake => "networks other than the host's need Linux, root and iproute2",
        NetProfile.Wire when !HasTool("ethtool") => "a wire needs ethtool, to switch segmentation offload off; bench/peers/run --install brings it",
        _ => null,
    };

    /// <summary>Makes it.</summary>
    /// <param name="profile">Which kind.</param>
    /// <param name="members">How many processes need a place.</param>
    /// <param name="drop">Share of packets that vanish, 0 to 1.</param>
    /// <param name="drops">Whether a member is one at which they do.</param>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public static NetworkLab Make(NetProfile profile, int members, double drop, Func<int, bool> drops)
    {
        if (members > MostMembers) throw new InvalidOperationException($"more than {MostMembers} members");
        var lab = new NetworkLab(profile);
        try
        {
            if (profile == NetProfile.Loopback) lab.MakeLoopback();
            if (lab.HasMachines) lab.MakeBridge(members, drop, drops);
            return lab;
        }
        catch
        {
            lab.Dispose();
            throw;
        }
    }

    /// <summary>A member's address.</summary>
    public string AddressOf(int member) => HasMachines ? Subnet + (member + 1).ToString(CultureInfo.InvariantCulture) : "127.0.0.1";

    /// <summary>A TCP or UDP port: as wanted where the run is by itself, else one that is free now, the same for every call.</summary>
    public int PortOf(int wanted)
    {
        if (IsPrivate) return wanted;
        if (!_ports.TryGetValue(wanted, out int port)) _ports.Add(wanted, port = FreePort.Find());
        return port;
    }

    /// <summary>The words before a command that make it run at a member's place.</summary>
    public IReadOnlyList<string> PrefixOf(int member) => IsPrivate ? ["ip", "netns", "exec", HasMachines ? Member(member) : _name] : [];

    /// <summary>
    /// Bytes that all members have sent so far, frame heads included. A train that is not cut before it leaves counts as one packet with one head.
    /// </summary>
    public long SentBytes()
    {
        string text = IsPrivate ? Run(["ip", "netns", "exec", _name, "cat", "/proc/net/dev"]) : File.ReadAllText("/proc/net/dev");
        long bytes = 0;
        foreach (string line in text.Split('\n'))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon < 0) continue;
            string name = line[..colon].Trim();
            // What a member sends, its end of the bridge receives.
            if (HasMachines ? name.StartsWith("port", StringComparison.Ordinal) : name == "lo")
                bytes += long.Parse(line[(colon + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries)[0], CultureInfo.InvariantCulture);
        }
        return bytes;
    }

    /// <summary>Ends every process in it and takes it away.</summary>
    public void Dispose()
    {
        foreach (string name in _namespaces)
        {
            try
            {
                foreach (string id in Run(["ip", "netns", "pids", name]).Split('\n', StringSplitOptions.RemoveEmptyEntries))
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
    }

    // Root in a container may still not be allowed to.
    private static bool Probe()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess || !HasTool("ip")) return false;
        try
        {
            using NetworkLab lab = Make(NetProfile.Loopback, 1, 0, _ => false);
            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    private static bool HasTool(string name) => ToolFolders.Any(folder => File.Exists(Path.Combine(folder, name)));

    private static void Kill(int id)
    {
        try
        {
            Process.GetProcessById(id).Kill();
        }
        catch (Exception gone) when (gone is ArgumentException or InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            // It has just ended.
        }
    }

    private static string Run(IReadOnlyList<string> command, string? input = null)
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
        return process.ExitCode == 0 ? output : throw new InvalidOperationException($"{string.Join(' ', command)}: {errors.Result.Trim()}");
    }

    private string Member(int member) => $"{_name}m{member}";

    private void MakeLoopback()
    {
        _namespaces.Add(_name);
        Run(["sh", "-e"], $"ip netns add {_name}\nip -n {_name} link set lo up multicast on\nip -n {_name} route add 224.0.0.0/4 dev lo\n");
    }

    private void MakeBridge(int members, double drop, Func<int, bool> drops)
    {
        var script = new StringBuilder();
        _namespaces.Add(_name);
        script.Append(
            CultureInfo.InvariantCulture,
            $"ip netns add {_name}\n"
            + $"ip -n {_name} link add br0 type bridge mcast_snooping 0\n"
            + $"ip -n {_name} link set br0 up\n");
        for (int member = 0; member < members; member++)
        {
            string own = Member(member);
            _namespaces.Add(own);
            script.Append(
                CultureInfo.InvariantCulture,
                $"ip netns add {own}\n"
                + $"ip -n {_name} link add port{member} type veth peer name eth0 netns {own}\n"
                + $"ip -n {_name} link set port{member} master br0 up\n"
                + $"ip -n {own} link set lo up\n"
                + $"ip -n {own} addr add {AddressOf(member)}/24 dev eth0\n"
                + $"ip -n {own} link set eth0 up\n"
                + $"ip -n {own} route add 224.0.0.0/4 dev eth0\n");
            if (_profile == NetProfile.Wire)
            {
                script.Append(
                    CultureInfo.InvariantCulture,
                    $"ip netns exec {own} ethtool -K eth0 tso off gso off tx-udp-segmentation off >/dev/null\n");
            }
            if (drop <= 0 || !drops(member)) continue;
            script.Append(
                CultureInfo.InvariantCulture,
                $"ip netns exec {own} nft -f - <<'END'\n"
                + $"table ip loss {{\n"
                + $" chain in {{\n"
                + $"  type filter hook prerouting priority -300; policy accept;\n"
                + $"  iifname \"eth0\" numgen random mod {Denominator} < {(int)(drop * Denominator)} drop\n"
                + $" }}\n"
                + $"}}\n"
                + $"END\n");
        }
        Run(["sh", "-e"], script.ToString());
    }
}
