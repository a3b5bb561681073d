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
    [InlineData("fd00::5", "eth0", "fd00::5", true)]
    [InlineData("fd00::5", "eth0", "fd00::6", false)]
    [InlineData("fd00::/64", "eth0", "fd00::9", true)]
    [InlineData("fd00::7/64", "eth0", "fd00::9", true)]
    [InlineData("fd00::/64", "eth0", "fd00:0:0:1::9", false)]
    [InlineData("::/0", "eth0", "fd00::9", true)]
    [InlineData("0.0.0.0/0", "eth0", "fd00::9", false)]
    [InlineData("fe80::5", "eth0", "fe80::5%3", true)]
    [InlineData("0.0.0.0", "eth0", "::", false)]
    public void An_interface_is_named_by_name_address_or_network(string text, string name, string address, bool fits)
    {
        Assert.Null(InterfaceSelector.TryParse(text, out InterfaceSelector wish));
        Assert.Equal(fits, wish.Fits(name, IPAddress.Parse(address)));
    }

    [Theory]
    [InlineData("10.0.0.5:14999", "10.0.0.5")]
    [InlineData("name:14999", "name")]
    [InlineData("[fd00::5]:14999", "fd00::5")]
    [InlineData("[fe80::1%3]:14999", "fe80::1%3")]
    [InlineData("fd00::5:14999", null)]
    [InlineData("fd00::5", null)]
    [InlineData("[fd00::5]", null)]
    [InlineData("[fd00::5]:0", null)]
    [InlineData("[name]:14999", null)]
    [InlineData("[10.0.0.5]:14999", null)]
    [InlineData("[]:14999", null)]
    public void A_server_is_a_host_and_a_port_and_an_IPv6_address_is_in_brackets(string text, string? host)
    {
        var options = new QuickSilverOptions();
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add(text);
        Assert.Equal(host is null ? 1 : 0, options.Validate().Count);
        Assert.Equal(host is not null, MembershipOptions.TryParseServer(text, out string found, out int port));
        if (host is null) return;
        Assert.Equal((host, 14999), (found, port));
        Assert.Equal(text, MembershipOptions.PlaceOf(found, port));
    }

    [Fact]
    public void IPv6_addresses_stand_wherever_addresses_do()
    {
        var options = new QuickSilverOptions();
        options.OnNetwork(MembershipMode.Host);
        options.Transport.Interface = "fd00::/8";
        options.Membership.Address = "::";
        options.Membership.AllowedNetworks.Add("fd00::/8");
        Assert.Empty(options.Validate());
    }

    [Theory]
    [InlineData("10.77.0.0/33")]
    [InlineData("10.77.0/24")]
    [InlineData("eth0/24")]
    [InlineData("fd00::/129")]
    [InlineData("::ffff:10.0.0.5/120")]
    public void A_network_that_is_none_is_refused(string text)
    {
        var options = new QuickSilverOptions();
        options.Transport.Interface = text;
        options.Membership.AllowedNetworks.Add(text);
        Assert.Equal(2, options.Validate().Count);
    }
}
