namespace QuickSilver.Membership.Etcd.Tests;

/// <summary>What is said about options, before anything is connected.</summary>
public sealed class OptionsTests
{
    [Fact]
    public void One_line_sets_the_mode_and_the_election()
    {
        var options = new QuickSilverOptions();
        options.Security.UseNone();
        options.Membership.UseEtcd("10.0.0.5:2379", "https://etcd-2:2379/", "[fd00::5]:2379");
        Assert.Equal(MembershipMode.Elected, options.Membership.Mode);
        Assert.Empty(options.Validate());
        Assert.Throws<ArgumentException>(() => options.Membership.UseEtcd("nowhere"));
    }

    [Fact]
    public void An_election_names_the_members_of_etcd()
    {
        var options = new EtcdOptions { Endpoints = { "10.0.0.5:2379", "https://etcd-2:2379/", "[fd00::5]:2379" } };
        Assert.Equal("etcd at 10.0.0.5:2379, etcd-2:2379, [fd00::5]:2379", new EtcdElection(options).Describe());
    }

    [Theory]
    [InlineData("")]
    [InlineData("10.0.0.5")]
    [InlineData("10.0.0.5:0")]
    [InlineData("10.0.0.5:65536")]
    [InlineData(":2379")]
    [InlineData("ftp://10.0.0.5:2379")]
    [InlineData("http://10.0.0.5:2379/v3")]
    [InlineData("http://user@10.0.0.5:2379")]
    public void An_endpoint_without_host_and_port_is_refused(string endpoint) =>
        Refuses(options => options.Endpoints.Add(endpoint), "Endpoints[1]: ");

    [Fact]
    public void Other_faults_are_named()
    {
        Refuses(static options => options.Endpoints.Clear(), "Endpoints: is empty");
        Refuses(static options => options.LeaseDuration = TimeSpan.FromMilliseconds(999), "LeaseDuration: ");
        Refuses(static options => options.LeaseDuration = TimeSpan.FromHours(2), "LeaseDuration: ");
        Refuses(static options => options.RequestTimeout = TimeSpan.Zero, "RequestTimeout: ");
        Refuses(static options => options.RequestTimeout = options.LeaseDuration, "RequestTimeout: ");
        Refuses(static options => options.User = "nodes", "User and Password: ");
        Refuses(static options => options.Password = "secret", "User and Password: ");
        Refuses(static options => options.CertificateKeyFile = "key.pem", "CertificateKeyFile: ");
        Refuses(
            static options =>
            {
                options.TrustedRootsFile = "root.pem";
                options.Endpoints.Add("http://10.0.0.6:2379");
            },
            "Endpoints[1]: ");
    }

    private static void Refuses(Action<EtcdOptions> change, string finding)
    {
        var options = new EtcdOptions { Endpoints = { "10.0.0.5:2379" } };
        change(options);
        var refusal = Assert.Throws<ArgumentException>(() => new EtcdElection(options));
        Assert.StartsWith($"etcd: {finding}", refusal.Message, StringComparison.Ordinal);
    }
}
