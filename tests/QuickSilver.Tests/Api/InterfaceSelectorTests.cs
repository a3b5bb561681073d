using System.Net;

namespace QuickSilver.Tests.Api;

/// <summary>What options say about interfaces and servers.</summary>
public sealed class InterfaceSelectorTests
{
    [Theory]
    [InlineData("eth0", "eth0", "10.0.0.1", true)]
    [InlineData("eth0", "eth1", "10.0.0.1", false)]
    [InlineData("10", "10", "10.0.0.1", true)]
    [InlineData("10.0.0.1", "eth0", "10.0.0.1", true)]
    [InlineData("10.0.0.1", "eth0", "10.0.0.2", false)]
    [InlineData("10.77.0.0/24", "eth0", "10.77.0.9", true)]
    [InlineData("10.77.0.5/24", "eth0", "10.77.0.9", true)]
    [InlineData("10.77.0.0/24", "eth0", "10.77.1.9", false)]
    [InlineData("0.0.0.0/0", "eth0", "10.77.1.9", true)]
    public void An_interface_is_named_by_name_address_or_network(string text, string name, string address, bool fits)
    {
        Assert.Null(InterfaceSelector.TryParse(text, out InterfaceSelector wish));
        Assert.Equal(fits, wish.Fits(name, IPAddress.Parse(address)));
    }

    [Theory]
    [InlineData("::1")]
    [InlineData("fe80::1")]
    [InlineData("fd00::/8")]
    [InlineData("[::1]")]
    public void An_IPv6_address_is_refused_as_such_wherever_an_address_stands(string text)
    {
        var options = new QuickSilverOptions();
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add(text.Contains('/', StringComparison.Ordinal) ? "fd00::1" : text);
        options.Membership.Servers.Add("[fe80::1]:14999");
        options.Transport.Interface = text;
        options.Membership.Address = text;
        IReadOnlyList<string> findings = options.Validate();
        Assert.Equal(4, findings.Count(static finding => finding.Contains("IPv4 only", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("10.77.0.0/33")]
    [InlineData("10.77.0/24")]
    [InlineData("eth0/24")]
    public void A_network_that_is_none_is_refused(string text)
    {
        var options = new QuickSilverOptions();
        options.Transport.Interface = text;
        options.Membership.AllowedNetworks.Add(text);
        Assert.Equal(2, options.Validate().Count);
    }
}
