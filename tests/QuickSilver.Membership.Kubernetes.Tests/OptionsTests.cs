namespace QuickSilver.Membership.Kubernetes.Tests;

/// <summary>What is said about options, before anything is connected; and the names of objects.</summary>
public sealed class OptionsTests : IDisposable
{
    private readonly FakeApiServer _server = new();

    [Fact]
    public void One_line_sets_the_mode()
    {
        var options = new QuickSilverOptions();
        options.Security.UseNone();
        options.Membership.UseKubernetes(kubernetes => kubernetes.Configuration = _server.Options().Configuration);
        Assert.Equal(MembershipMode.Elected, options.Membership.Mode);
        Assert.Empty(options.Validate());
    }

    [Fact]
    public void A_process_in_no_pod_is_told_so()
    {
        var refusal = Assert.Throws<ArgumentException>(() => new QuickSilverOptions().Membership.UseKubernetes());
        Assert.StartsWith("Kubernetes: Configuration: is null", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Faults_are_named()
    {
        Refuses(static options => options.Namespace = "Shop", "Namespace: ");
        Refuses(static options => options.Namespace = "", "Namespace: ");
        Refuses(static options => options.LeaseName = "a..b", "LeaseName: ");
        Refuses(static options => options.LeaseName = "-a", "LeaseName: ");
        Refuses(static options => options.Service = "a.b", "Service: ");
        Refuses(static options => options.ServicePort = 0, "ServicePort: ");
        Refuses(static options => options.LeaseDuration = TimeSpan.FromMilliseconds(999), "LeaseDuration: ");
        Refuses(static options => options.LeaseDuration = TimeSpan.FromHours(2), "LeaseDuration: ");
        Refuses(static options => options.RequestTimeout = TimeSpan.Zero, "RequestTimeout: ");
        Refuses(static options => options.RequestTimeout = options.LeaseDuration, "RequestTimeout: ");
        var refusal = Assert.Throws<ArgumentException>(() => new KubernetesDiscovery(_server.Options()));
        Assert.StartsWith("Kubernetes: Service: is null", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("demo", "quicksilver-demo")]
    [InlineData("a-1", "quicksilver-a-1")]
    [InlineData("Demo", "quicksilver-demo-")]
    [InlineData("prices (test)", "quicksilver-pricestest-")]
    [InlineData("Ünïcode", "quicksilver-ncode-")]
    [InlineData("日本", "quicksilver-")]
    [InlineData("-a-", "quicksilver-a-")]
    public void Every_cluster_has_a_Lease_of_its_own(string cluster, string beginning)
    {
        string name = KubernetesNames.LeaseOf(cluster);
        Assert.StartsWith(beginning, name, StringComparison.Ordinal);
        Assert.True(KubernetesNames.IsSubdomain(name));
        Assert.NotEqual(name, KubernetesNames.LeaseOf(cluster + "x"));
    }

    [Fact]
    public void The_longest_name_of_a_cluster_has_one_too() =>
        Assert.True(KubernetesNames.IsSubdomain(KubernetesNames.LeaseOf(new string('a', 255))));

    public void Dispose() => _server.Dispose();

    private void Refuses(Action<KubernetesOptions> change, string finding)
    {
        var refusal = Assert.Throws<ArgumentException>(() => new KubernetesElection(_server.Options(change)));
        Assert.StartsWith($"Kubernetes: {finding}", refusal.Message, StringComparison.Ordinal);
    }
}
