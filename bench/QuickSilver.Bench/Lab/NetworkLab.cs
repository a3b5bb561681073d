using System.Globalization;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Lab;

/// <summary>
/// The network of one run: made of namespaces, veth pairs and a bridge, gone with the run and everything in it. Members
/// are numbered from 0; each of those that drop lets a share of all packets that reach it vanish, each on its own,
/// before the kernel puts fragments together, whatever the protocol: so all systems are measured under the same loss.
/// </summary>
internal sealed class NetworkLab : ILab
{
    private const string Subnet = "10.77.0.";
    private const int Denominator = 100_000;
    private const int MostMembers = 250;

    private readonly NetProfile _profile;
    private readonly NamespaceSet _set = new();
    private readonly Dictionary<int, int> _ports = [];

    private NetworkLab(NetProfile profile) => _profile = profile;

    /// <inheritdoc/>
    public bool HasMachines => _profile is NetProfile.Bridge or NetProfile.Wire;

    /// <summary>Whether the run has its network for itself.</summary>
    public bool IsPrivate => _profile != NetProfile.Host;

    /// <summary>Whether this process may make namespaces.</summary>
    public static bool CanMake => NamespaceSet.CanMake;

    /// <summary>Why a kind of network cannot be made here, and what would help; null: it can.</summary>
    public static string? Refusal(NetProfile profile) => profile switch
    {
        NetProfile.Host => null,
        _ when !CanMake => "networks other than the host's need Linux, root and iproute2",
        NetProfile.Wire when !NamespaceSet.HasTool("ethtool") =>
            "a wire needs ethtool, to switch segmentation offload off; bench/peers/run --install brings it",
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

    /// <inheritdoc/>
    public int EchoEvery(double rate) => 0;

    /// <inheritdoc/>
    public string AddressOf(int member) =>
        HasMachines ? Subnet + (member + 1).ToString(CultureInfo.InvariantCulture) : "127.0.0.1";

    /// <inheritdoc/>
    public int PortOf(int wanted)
    {
        if (IsPrivate) return wanted;
        if (!_ports.TryGetValue(wanted, out int port)) _ports.Add(wanted, port = FreePort.Find());
        return port;
    }

    /// <summary>The words before a command that make it run at a member's place.</summary>
    public IReadOnlyList<string> PrefixOf(int member) =>
        IsPrivate ? NamespaceSet.PrefixOf(HasMachines ? Member(member) : _set.Name) : [];

    /// <inheritdoc/>
    public RoleLaunch LaunchAt(int member, RoleLaunch launch) => launch with { Prefix = PrefixOf(member) };

    /// <inheritdoc/>
    public Task<long> SentBytesAsync() => Task.FromResult(SentBytes());

    /// <summary>Ends every process in it and takes it away.</summary>
    public void Dispose() => _set.Dispose();

    private long SentBytes()
    {
        string text = IsPrivate
            ? NamespaceSet.Run([.. NamespaceSet.PrefixOf(_set.Name), "cat", "/proc/net/dev"])
            : File.ReadAllText("/proc/net/dev");
        long bytes = 0;
        foreach (string line in text.Split('\n'))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon < 0) continue;
            string name = line[..colon].Trim();
            // What a member sends, its end of the bridge receives.
            if (HasMachines ? name.StartsWith("port", StringComparison.Ordinal) : name == "lo")
                bytes += long.Parse(
                    line[(colon + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries)[0],
                    CultureInfo.InvariantCulture);
        }
        return bytes;
    }

    private string Member(int member) => $"{_set.Name}m{member}";

    private void MakeLoopback()
    {
        _set.Add("", loopbackMulticast: true);
        _set.Apply();
    }

    private void MakeBridge(int members, double drop, Func<int, bool> drops)
    {
        string middle = _set.Add("");
        _set.AddBridge(middle, "br0");
        for (int member = 0; member < members; member++)
        {
            string own = _set.Add($"m{member}");
            _set.Attach(own, "eth0", $"{AddressOf(member)}/24", middle, "br0", $"port{member}");
            _set.Line($"ip -n {own} route add 224.0.0.0/4 dev eth0");
            if (_profile == NetProfile.Wire)
                _set.Line($"ip netns exec {own} ethtool -K eth0 tso off gso off tx-udp-segmentation off >/dev/null");
            if (drop <= 0 || !drops(member)) continue;
            _set.Line($"ip netns exec {own} nft -f - <<'END'");
            _set.Line("table ip loss {");
            _set.Line(" chain in {");
            _set.Line("  type filter hook prerouting priority -300; policy accept;");
            _set.Line($"  iifname \"eth0\" numgen random mod {Denominator} < {(int)(drop * Denominator)} drop");
            _set.Line(" }");
            _set.Line("}");
            _set.Line("END");
        }
        _set.Apply();
    }
}
