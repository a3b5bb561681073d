using QuickSilver.Testing;
using QuickSilver.Tests.Membership.Election;

namespace QuickSilver.Tests.Api;

public sealed class OptionsTests
{
    public static TheoryData<string, Action<QuickSilverOptions>> Mistakes => new()
    {
        { "ClusterName", static o => o.ClusterName = "" },
        { "ClusterName", static o => o.ClusterName = new string('é', 128) },
        { "NodeName", static o => o.NodeName = "" },
        { "NodeName", static o => o.NodeName = "\ud800" },
        { "Transport.Kind", static o => o.Transport.Kind = (TransportKind)9 },
        { "Transport.Kind",
            static o => (o.Transport.Kind, o.Membership.Mode) = (TransportKind.InMemory, MembershipMode.Host) },
        { "Transport.Interface", static o => o.Transport.Interface = " " },
        { "Transport.MaxHybridGroups", static o => o.Transport.MaxHybridGroups = 257 },
        { "Transport.MulticastPool", static o => o.Transport.MulticastPool = "10.0.0.0/8" },
        { "Transport.MulticastPool", static o => o.Transport.MulticastPool = "ff02::/16" },
        { "Transport.MulticastPool", static o => o.Transport.MulticastPool = "everywhere" },
        { "Transport.MulticastPoolIPv6", static o => o.Transport.MulticastPoolIPv6 = "239.1.0.0/24" },
        { "Transport.MulticastPoolIPv6", static o => o.Transport.MulticastPoolIPv6 = "fd00::/120" },
        { "Transport.MulticastPoolIPv6", static o => o.Transport.MulticastPoolIPv6 = "ff15::/64" },
        { "Transport.MulticastPoolIPv6", static o => o.Transport.MulticastPoolIPv6 = null! },
        { "Transport.MulticastPool", static o => o.Transport.MulticastPool = null! },
        { "Transport.PortRange", static o => o.Transport.PortRange = "15000" },
        { "Transport.PortRange", static o => o.Transport.PortRange = "16000-15000" },
        { "Transport.PortRange", static o => o.Transport.PortRange = "80-90" },
        { "Transport.PortRange", static o => o.Transport.PortRange = "65000-66000" },
        { "Transport.PortRange", static o => o.Transport.PortRange = null! },
        { "Transport.TimeToLive", static o => o.Transport.TimeToLive = 256 },
        { "Transport.TimeToLive", static o => o.Transport.TimeToLive = -1 },
        { "Transport.MaxDatagramBytes", static o => o.Transport.MaxDatagramBytes = 100 },
        { "Transport.MaxDatagramBytes", static o => o.Transport.MaxDatagramBytes = 70_000 },
        { "Transport.ReceiveBufferBytes", static o => o.Transport.ReceiveBufferBytes = 1_000 },
        { "Transport.PayloadChecksum", static o => o.Transport.PayloadChecksum = (PayloadChecksum)(-1) },
        { "Membership.Mode", static o => o.Membership.Mode = (MembershipMode)5 },
        { "Membership.Peers.Founders", static o => o.Membership.Peers.Founders = 0 },
        { "Membership.Peers.Weight", static o => o.Membership.Peers.Weight = 101 },
        { "Membership.Peers.TieBreak", static o => o.Membership.Peers.TieBreak = "" },
        { "Membership.Discovery", static o => o.Membership.Discovery.Multicast = true },
        { "Membership.Discovery.MulticastGroup", static o => o.Membership.Discovery.MulticastGroup = "10.0.0.5" },
        { "Membership.Discovery.MulticastGroupIPv6", static o => o.Membership.Discovery.MulticastGroupIPv6 = "::1" },
        { "Membership.Discovery.Port", static o => o.Membership.Discovery.Port = 0 },
        { "Membership.Discovery.TimeToLive", static o => o.Membership.Discovery.TimeToLive = 256 },
        { "Membership.Election", static o => o.Membership.Mode = MembershipMode.Elected },
        { "Membership.Servers", static o => o.Membership.Mode = MembershipMode.Client },
        { "Membership.Servers", static o => o.Membership.Servers.Add("10.0.0.1:14999") },
        { "Membership.Servers[1]", static o => AddServers(o, "10.0.0.1:14999", "10.0.0.2") },
        { "Membership.Servers[0]", static o => AddServers(o, ":14999") },
        { "Membership.Servers[0]", static o => AddServers(o, "host:0") },
        { "Membership.Port", static o => o.Membership.Port = 0 },
        { "Membership.Port", static o => o.Membership.Port = 65_536 },
        { "Membership.Address", static o => o.Membership.Address = "" },
        { "Membership.Address", static o => o.Membership.Address = "10.0.0.0/40" },
        { "Membership.AllowedNetworks[0]", static o => o.Membership.AllowedNetworks.Add("10.0.0.1") },
        { "Membership.FailureTimeout", static o => o.Membership.FailureTimeout = TimeSpan.Zero },
        { "Membership.FailureTimeout", static o => o.Membership.FailureTimeout = TimeSpan.FromDays(1) },
        { "Membership.HeartbeatInterval", static o => o.Membership.HeartbeatInterval = TimeSpan.Zero },
        { "Membership.HeartbeatInterval", static o => o.Membership.HeartbeatInterval = TimeSpan.FromTicks(1) },
        { "Membership.HeartbeatInterval", static o => o.Membership.HeartbeatInterval = TimeSpan.FromSeconds(6) },
        { "Membership.BatchWindow", static o => o.Membership.BatchWindow = TimeSpan.FromSeconds(-1) },
        { "Membership.ReconnectGrace", static o => o.Membership.ReconnectGrace = TimeSpan.FromSeconds(-1) },
        { "Membership.JoinTimeout", static o => o.Membership.JoinTimeout = TimeSpan.Zero },
        { "Membership.InstallTimeout", static o => o.Membership.InstallTimeout = TimeSpan.FromDays(2) },
        { "Membership.Eviction", static o => o.Membership.Eviction = (EvictionPolicy)2 },
        { "Security.Mode", static o => o.Security.Mode = (SecurityMode)4 },
        { "Security.KeyFile", static o => o.Security.KeyFile = "/nowhere/key" },
        { "Security.CertificateFile", static o => o.Security.Mode = SecurityMode.Certificates },
        { "Security.CertificateKeyFile", static o => o.Security.CertificateKeyFile = "tls.key" },
        { "Security.TrustedRootsFile", static o => o.Security.CertificateFile = "tls.crt" },
        { "Security.Cipher", static o => o.Security.Cipher = (SecurityCipher)4 },
        { "Security.MaxNodesPerIdentity", static o => o.Security.MaxNodesPerIdentity = 0 },
        { "Security.RotateAfter", static o => o.Security.RotateAfter = TimeSpan.FromMilliseconds(999) },
        { "RateControl.InitialPacketsPerSecond", static o => o.RateControl.InitialPacketsPerSecond = 0 },
        { "RateControl.InitialPacketsPerSecond", static o => o.RateControl.InitialPacketsPerSecond = 50 },
        { "RateControl.MinPacketsPerSecond", static o => o.RateControl.MinPacketsPerSecond = 0 },
        { "RateControl.MaxPacketsPerSecond", static o => o.RateControl.MaxPacketsPerSecond = -1 },
        { "RateControl.MaxPacketsPerSecond", static o => o.RateControl.MaxPacketsPerSecond = 5_000 },
        { "Ordering.PersonalWindow", static o => o.Ordering.PersonalWindow = 0 },
        { "Ordering.GlobalWindow", static o => o.Ordering.GlobalWindow = 10_001 },
        { "Ordering.AcceleratedWindow", static o => o.Ordering.AcceleratedWindow = -1 },
        { "Recovery.ReplicationFactor", static o => o.Recovery.ReplicationFactor = 0 },
        { "Recovery.MinTokenInterval", static o => o.Recovery.MinTokenInterval = TimeSpan.Zero },
        { "Recovery.MinTokenInterval", static o => o.Recovery.MinTokenInterval = TimeSpan.FromTicks(1) },
        { "Recovery.QuietTokenInterval", static o => o.Recovery.QuietTokenInterval = TimeSpan.FromTicks(-1) },
        { "Recovery.CacheBytes", static o => o.Recovery.CacheBytes = 1_000 },
        { "Delivery.InboxMaxMessages", static o => o.Delivery.InboxMaxMessages = 0 },
        { "Delivery.InboxMaxBytes", static o => o.Delivery.InboxMaxBytes = 0 },
        { "Delivery.LongMessageMaxUnreadBytes", static o => o.Delivery.LongMessageMaxUnreadBytes = 0 },
        { "Delivery.InboxMaxBytesPerNode", static o => o.Delivery.InboxMaxBytesPerNode = 0 },
        { "Delivery.Overflow", static o => o.Delivery.Overflow = (OverflowPolicy)4 },
        { "Delivery.Overflow", static o => o.Delivery.Overflow = (OverflowPolicy)3 },
        { "Delivery.HandlerErrors", static o => o.Delivery.HandlerErrors = (HandlerErrorPolicy)3 },
        { "Pending.MaxMessagesPerRegion", static o => o.Pending.MaxMessagesPerRegion = 0 },
        { "Pending.MaxUnsentMessagesPerRegion", static o => o.Pending.MaxUnsentMessagesPerRegion = 0 },
        { "Pending.MaxWaitingCallsPerRegion", static o => o.Pending.MaxWaitingCallsPerRegion = 0 },
        { "Pending.MaxUnsentBytesPerRegion", static o => o.Pending.MaxUnsentBytesPerRegion = 0 },
        { "Pending.MaxBytesPerRegion", static o => o.Pending.MaxBytesPerRegion = 1_000 },
        { "Pending.MaxBytesPerNode", static o => o.Pending.MaxBytesPerNode = 1_000 },
        { "Pending.MaxBytesPerNode",
            static o => (o.Pending.MaxBytesPerRegion, o.Pending.MaxBytesPerNode) = (2 << 20, 1 << 20) },
        { "Pending.MaxMessageBytes", static o => o.Pending.MaxMessageBytes = 0 },
        { "Pending.SlowMemberTimeout", static o => o.Pending.SlowMemberTimeout = TimeSpan.Zero },
        { "Pending.NoServerTimeout", static o => o.Pending.NoServerTimeout = TimeSpan.Zero },
        { "Pending.MaxMessageBytes", static o => o.Pending.MaxMessageBytes = (16 << 20) + 1 },
        { "Loop.Spin", static o => o.Loop.Spin = TimeSpan.Zero },
        { "Loop.Affinity", static o => o.Loop.Affinity = Environment.ProcessorCount },
        { "Loop.IoQuantum", static o => o.Loop.IoQuantum = TimeSpan.Zero },
        { "Loop.AlarmQuantum", static o => o.Loop.AlarmQuantum = TimeSpan.Zero },
        { "Loop.StallWarning", static o => o.Loop.StallWarning = TimeSpan.Zero },
        { "Membership.MaxRegions", static o => o.Membership.MaxRegions = 0 },
        { "Shutdown.DrainTimeout", static o => o.Shutdown.DrainTimeout = TimeSpan.FromSeconds(-1) },
        { "Shutdown.DrainTimeout", static o => o.Shutdown.DrainTimeout = TimeSpan.FromSeconds(11) },
        { "Shutdown.Timeout", static o => o.Shutdown.Timeout = TimeSpan.Zero },
        { "Testing.DropReceived", static o => o.UseFaults(1.5) },
        { "Testing.DropReceived", static o => o.UseFaults(double.NaN) },
    };

    [Fact]
    public void Defaults_and_the_papers_are_valid()
    {
        Assert.Empty(new QuickSilverOptions().Validate());
        var papers = new QuickSilverOptions();
        papers.Recovery.MinTokenInterval = TimeSpan.FromSeconds(1);
        papers.Recovery.EagerPull = false;
        papers.RateControl.Fixed = true;
        papers.Membership.BatchWindow = TimeSpan.FromSeconds(10);
        papers.Loop.IoQuantum = TimeSpan.FromMilliseconds(50);
        papers.Loop.AlarmQuantum = TimeSpan.FromMilliseconds(5);
        Assert.Empty(papers.Validate());
    }

    [Theory]
    [MemberData(nameof(Mistakes), DisableDiscoveryEnumeration = true)]
    public void A_mistake_is_found_and_named_by_its_path(string path, Action<QuickSilverOptions> make)
    {
        var options = new QuickSilverOptions();
        make(options);
        Assert.Contains(options.Validate(), finding => finding.StartsWith(path + ": ", StringComparison.Ordinal));
    }

    [Fact]
    public void Every_option_has_a_mistake_in_the_tests_above()
    {
        string[] free =
        [
            "Recovery.EagerPull", "RateControl.Fixed", "Transport.FastPath", "Transport.Segmentation",
            "Transport.Coalescing", "Transport.SharedMemory", "Transport.CheckSources", "Security.ServerNames",
            "Security.Authorize", "Security.BindNodeNames",
            "Delivery.SelfDelivery", "Membership.AwaitMajority", "Membership.MergeRegions", "Membership.Peers.MayServe",
            "Membership.Peers.Merge",
            "Membership.Discovery.Multicast", // every value is valid
        ];
        var tested = new HashSet<string>(free);
        foreach (var row in Mistakes) tested.Add(row.Data.Item1.Split('[')[0]);
        foreach (string path in Paths(typeof(QuickSilverOptions), "")) Assert.Contains(path, tested);
    }

    [Fact]
    public async Task A_node_does_not_start_with_mistakes_and_lists_all_of_them()
    {
        var options = new QuickSilverOptions { ClusterName = "" };
        options.Transport.PortRange = "none";
        ArgumentException thrown = await Assert.ThrowsAsync<ArgumentException>(
            () => QuickSilverNode.StartAsync(options));
        Assert.Contains("ClusterName: ", thrown.Message, StringComparison.Ordinal);
        Assert.Contains("Transport.PortRange: ", thrown.Message, StringComparison.Ordinal);
        Assert.Equal("options", thrown.ParamName);
    }

    [Fact]
    public void A_copy_equals_its_original_and_does_not_follow_it()
    {
        var options = new QuickSilverOptions { ClusterName = "c", NodeName = "n" };
        Set(options);
        options.Membership.Servers.Add("a:1");
        options.UseFaults(0.25, 9);
        QuickSilverOptions copy = options.Copy();
        foreach (string path in Paths(typeof(QuickSilverOptions), ""))
            Assert.Equal(Get(options, path), Get(copy, path));
        Assert.Equal(0.25, copy.Faults!.DropReceived);

        options.Membership.Servers.Add("b:2");
        options.Faults!.DropReceived = 0.5;
        options.Transport.TimeToLive = 3;
        Assert.Single(copy.Membership.Servers);
        Assert.Equal(0.25, copy.Faults.DropReceived);
        Assert.NotEqual(3, copy.Transport.TimeToLive);
    }

    [Fact]
    public void Group_options_are_refused_by_name()
    {
        Assert.StartsWith(
            "InboxMaxMessages: ", Refusal(new GroupOptions { InboxMaxMessages = 0 }).Message, StringComparison.Ordinal);
        Assert.StartsWith(
            "InboxMaxBytes: ", Refusal(new GroupOptions { InboxMaxBytes = -1 }).Message, StringComparison.Ordinal);
        Assert.StartsWith(
            "Mode: is null", Refusal(new GroupOptions { Mode = null! }).Message, StringComparison.Ordinal);
        Assert.StartsWith(
            "Mode.LongMessageMaxUnreadBytes: ",
            Refusal(new GroupOptions { Mode = new ReliableMode { LongMessageMaxUnreadBytes = 0 } }).Message,
            StringComparison.Ordinal);
        Assert.StartsWith(
            "Overflow: ", Refusal(new GroupOptions { Overflow = (OverflowPolicy)7 }).Message, StringComparison.Ordinal);
        Assert.StartsWith(
            "HandlerErrors: ", Refusal(new GroupOptions { HandlerErrors = (HandlerErrorPolicy)7 }).Message,
            StringComparison.Ordinal);
    }

    /// <summary>What only one mode has is an option of that mode, and a key goes with every policy: no two options of a
    /// handle contradict each other.</summary>
    [Fact]
    public void No_combination_of_group_options_is_refused()
    {
        Type[] modes = [.. typeof(ModeOptions).Assembly.GetTypes().Where(
            static type => type.IsSubclassOf(typeof(ModeOptions)))];
        Assert.Equal(Enum.GetNames<GroupMode>().Length, modes.Length);
        foreach (Type type in modes)
        {
            var mode = (ModeOptions)Activator.CreateInstance(type)!;
            Assert.Empty(new PublisherOptions { Mode = mode }.Validate());
            foreach (OverflowPolicy policy in Enum.GetValues<OverflowPolicy>())
            {
                var options = new GroupOptions
                {
                    Mode = mode,
                    Overflow = policy,
                    OnMessage = static (in _) => { },
                    OnBatch = static (in _) => { },
                    HandlerErrors = HandlerErrorPolicy.StopNode,
                    SelfDelivery = false,
                    BufferBeforeFirstRead = false,
                };
                Assert.Empty(options.Validate());
                options.Key = static (in _) => 0;
                Assert.Empty(options.Validate());
            }
        }
    }

    private static ArgumentException Refusal(GroupOptions options) =>
        Assert.Throws<ArgumentException>(() => options.Validate("options"));

    private static void AddServers(QuickSilverOptions options, params string[] servers)
    {
        options.Membership.Mode = MembershipMode.Client;
        foreach (string server in servers) options.Membership.Servers.Add(server);
    }

    private static IEnumerable<string> Paths(Type type, string prefix)
    {
        foreach (System.Reflection.PropertyInfo property in type.GetProperties())
        {
            if (property.GetMethod!.IsStatic) continue;
            if (property.PropertyType.Name.EndsWith("Options", StringComparison.Ordinal))
            {
                foreach (string path in Paths(property.PropertyType, prefix + property.Name + ".")) yield return path;
            }
            else
            {
                yield return prefix + property.Name;
            }
        }
    }

    private static object? Get(object options, string path)
    {
        object? value = options;
        foreach (string name in path.Split('.')) value = value!.GetType().GetProperty(name)!.GetValue(value);
        return value;
    }

    // Gives every option a value other than its default.
    private static void Set(object options)
    {
        foreach (System.Reflection.PropertyInfo property in options.GetType().GetProperties())
        {
            if (property.GetMethod!.IsStatic) continue;
            object? value = property.GetValue(options);
            if (property.SetMethod is not { IsPublic: true })
            {
                if (property.PropertyType.Name.EndsWith("Options", StringComparison.Ordinal)) Set(value!);
                continue;
            }
            Type type = Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType;
            object other = type == typeof(IMembershipElection) ? new TestElection(TimeSpan.FromSeconds(1))
                : type.IsEnum ? Enum.ToObject(type, 1)
                : type == typeof(string) ? "other"
                : type == typeof(bool) ? value is not true
                : type == typeof(Func<AuthorizationRequest, bool>) ? static (AuthorizationRequest _) => true
                : type == typeof(TimeSpan) ? TimeSpan.FromMilliseconds(77)
                : Convert.ChangeType(77, type, System.Globalization.CultureInfo.InvariantCulture);
            property.SetValue(options, other);
        }
    }
}
