using Microsoft.Extensions.Configuration;
using QuickSilver.Tests.Docs;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Api;

/// <summary>Options that come from a configuration, bound as docs/getting-started.md says.</summary>
public sealed class ConfigurationTests
{
    [Fact]
    public void Every_kind_of_option_binds()
    {
        using var folder = new TestFolder();
        string key = folder.File("key");
        PreSharedKey.CreateFile(key);
        QuickSilverOptions options = StartSnippets.Bind(Configuration(
            ("QuickSilver:ClusterName", "pricing"),
            ("QuickSilver:Membership:Mode", "client"),
            ("QuickSilver:Membership:Servers:0", "10.0.0.5:14999"),
            ("QuickSilver:Membership:Servers:1", "10.0.0.6:14999"),
            ("QuickSilver:Membership:JoinTimeout", "00:00:10"),
            ("QuickSilver:Membership:AwaitMajority", "false"),
            ("QuickSilver:Transport:ReceiveBufferBytes", "1048576"),
            ("QuickSilver:Security:KeyFile", key),
            ("QuickSilver:Recovery:ReplicationFactor", "3"),
            ("QuickSilver:Delivery:Overflow", "DropOldest"),
            ("QuickSilver:Pending:MaxBytesPerRegion", "4194304")));
        Assert.Equal("pricing", options.ClusterName);
        Assert.Equal(key, options.Security.KeyFile);
        Assert.Equal(MembershipMode.Client, options.Membership.Mode);
        Assert.Equal(["10.0.0.5:14999", "10.0.0.6:14999"], options.Membership.Servers);
        Assert.Equal(TimeSpan.FromSeconds(10), options.Membership.JoinTimeout);
        Assert.False(options.Membership.AwaitMajority);
        Assert.Equal(1 << 20, options.Transport.ReceiveBufferBytes);
        Assert.Equal(3, options.Recovery.ReplicationFactor);
        Assert.Equal(OverflowPolicy.DropOldest, options.Delivery.Overflow);
        Assert.Equal(4L << 20, options.Pending.MaxBytesPerRegion);
        Assert.Empty(options.Validate());
    }

    [Fact]
    public void A_section_that_is_missing_and_a_name_that_is_misspelt_are_told()
    {
        InvalidOperationException missing =
            Assert.Throws<InvalidOperationException>(
                () => StartSnippets.Bind(Configuration(("Quicksliver:ClusterName", "pricing"))));
        Assert.Contains("'QuickSilver'", missing.Message, StringComparison.Ordinal);
        InvalidOperationException misspelt =
            Assert.Throws<InvalidOperationException>(
                () => StartSnippets.Bind(Configuration(("QuickSilver:ClusterNane", "pricing"))));
        Assert.Contains("ClusterNane", misspelt.Message, StringComparison.Ordinal);
    }

    private static IConfiguration Configuration(params (string Key, string Value)[] entries)
    {
        var builder = new ConfigurationBuilder();
        builder.AddInMemoryCollection(
            entries.Select(static entry => KeyValuePair.Create(entry.Key, (string?)entry.Value)));
        return builder.Build();
    }
}
