using System.Reflection;
using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace QuickSilver.Hosting.Tests;

/// <summary>A value of another shape than its option is told at the start of the host, never ignored.</summary>
public sealed class ConfigurationShapeTests
{
    [Theory]
    [InlineData("Membership:Servers", "a:1,b:2", "Membership.Servers: 'a:1,b:2' does not fit: it is a list")]
    [InlineData("Membership:AllowedNetworks", "10.0.0.0/8", "Membership.AllowedNetworks: '10.0.0.0/8' does not fit")]
    [InlineData("Security:ServerNames", "host", "Security.ServerNames: 'host' does not fit: it is a list")]
    [InlineData("Membership:Servers:0:Host", "a", "Membership.Servers[0]: is one value, and has keys within it: Host")]
    [InlineData("Membership:Servers:0", "nowhere", "Membership.Servers[0]: ")]
    [InlineData("Membership", "Host", "Membership: 'Host' does not fit: it is a section")]
    [InlineData("Transport:Kind:Name", "Auto", "Transport.Kind: is one value, and has keys within it: Name")]
    [InlineData("ClusterName:0", "prices", "ClusterName: is one value, and has keys within it: 0")]
    [InlineData("Loop:Affinity:0", "1", "Loop.Affinity: is one value, and has keys within it: 0")]
    [InlineData("Memberschip:Mode", "Host", "Memberschip: there is no such option")]
    [InlineData("Security:Authorize", "everybody", "Security.Authorize: ")]
    [InlineData("Membership:Mode", "77", "Membership.Mode: 77 is none of MembershipMode's values")]
    [InlineData("Delivery:Overflow", "DropOldest,DropNewest", "Delivery.Overflow: ")]
    [InlineData("Delivery:InboxMaxMessages", "99999999999", "Delivery.InboxMaxMessages: '99999999999' does not fit")]
    [InlineData("Delivery:InboxMaxMessages", "1.5", "Delivery.InboxMaxMessages: '1.5' does not fit")]
    [InlineData("Membership:AwaitMajority", "perhaps", "Membership.AwaitMajority: 'perhaps' does not fit")]
    [InlineData("Membership:JoinTimeout", "ten", "Membership.JoinTimeout: 'ten' does not fit")]
    [InlineData("Membership:JoinTimeout", "10", "Membership.JoinTimeout: 10.00:00:00 is not ")]
    [InlineData("Groups", "prices", "Groups: 'prices' does not fit: it is a section")]
    [InlineData("Groups:0", "prices", "Groups[0]: the group is not registered")]
    [InlineData("Groups:prices", "DropOldest", "Groups[prices]: 'DropOldest' does not fit: it is a section")]
    [InlineData("Groups:prices:Group", "DropOldest", "Groups[prices].Group: 'DropOldest' does not fit")]
    [InlineData("Groups:prices:Group:OnMessage", "Handle", "Groups[prices].Group.OnMessage: ")]
    [InlineData("Groups:prices:Group:Inbox", "shared", "Groups[prices].Group.Inbox: ")]
    [InlineData("Groups:prices:Group:Inbox:MaxMessages", "1", "Groups[prices].Group.Inbox")]
    [InlineData("Groups:prices:Group:Mode", "yes", "Groups[prices].Group.Mode: 'yes' does not fit: it is one of ")]
    [InlineData("Groups:asked:Timeout", "00:00:01", "Groups[asked]: is a request group, whose options are set in code")]
    public async Task A_wrong_shape_is_a_finding_by_its_path(string key, string value, string finding)
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services => services.AddQuickSilver().AddGroup("prices")
                .AddRequestGroup("asked", SumContext.Default.Ask, SumContext.Default.Told),
            ($"QuickSilver:{key}", value));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        Assert.Single(told.Failures, one => one.StartsWith(finding, StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_section_itself_is_no_text()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(static services => services.AddQuickSilver(), ("QuickSilver", "prices"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        Assert.Equal(
            ["QuickSilver: 'prices' does not fit: it is a section, with a key for each of its options"], told.Failures);
    }

    [Fact]
    public async Task Empty_sections_and_lists_are_no_mistakes()
    {
        const string Json = """
            { "QuickSilver": {
                "ClusterName": "pricing", "NodeName": null, "Loop": {}, "Security": null,
                "Membership": { "Servers": [], "AllowedNetworks": ["10.0.0.0/8"] },
                "Groups": { "prices": {} } } }
            """;
        IConfiguration section = new ConfigurationBuilder()
            .AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(Json))).Build();
        await using var rig = new HostRig();
        IHost host = rig.Build(
            static services => services.AddQuickSilver().AddGroup("prices"),
            [.. section.AsEnumerable().Select(static entry => (entry.Key, entry.Value))]);
        QuickSilverOptions options = host.Services.GetRequiredService<IOptions<QuickSilverOptions>>().Value;
        Assert.Equal("pricing", options.ClusterName);
        Assert.Null(options.NodeName);
        Assert.Empty(options.Membership.Servers);
        Assert.Equal(["10.0.0.0/8"], options.Membership.AllowedNetworks);
    }

    [Fact]
    public void A_name_that_is_none_is_told_the_names_that_there_are()
    {
        (string Path, Type Type)[] named =
        [
            .. NamesOf(typeof(QuickSilverOptions), "node:"), .. NamesOf(typeof(HostedGroupOptions), "group:"),
        ];
        Assert.True(named.Length > 8, "options that are names are missing");
        foreach ((string path, Type type) in named)
        {
            IConfigurationSection section = new ConfigurationBuilder()
                .AddInMemoryCollection([KeyValuePair.Create(path, (string?)"Nonsense")]).Build()
                .GetSection(path[..path.IndexOf(':')]);
            IReadOnlyList<string> findings = path.StartsWith("node:", StringComparison.Ordinal)
                ? SectionBinder.Bind(section, new QuickSilverOptions(), [])
                : SectionBinder.Bind(section, new HostedGroupOptions());
            Assert.EndsWith(
                $": 'Nonsense' does not fit: it is one of {string.Join(", ", Enum.GetNames(type))}",
                Assert.Single(findings),
                StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Every_list_is_known_as_one()
    {
        string[] lists =
        [
            .. ListsOf(typeof(QuickSilverOptions), ""), .. ListsOf(typeof(HostedGroupOptions), ""),
        ];
        Assert.NotEmpty(lists);
        Assert.Equal(lists.Order(), SectionBinder.Lists.Order());
    }

    private static IEnumerable<(string Path, Type Type)> NamesOf(Type options, string path)
    {
        foreach (PropertyInfo option in options.GetProperties())
        {
            Type type = Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType;
            if (type.IsEnum && option.CanWrite) yield return (path + option.Name, type);
            if (!type.Name.EndsWith("Options", StringComparison.Ordinal)) continue;
            foreach ((string, Type) one in NamesOf(type, $"{path}{option.Name}:")) yield return one;
        }
    }

    private static IEnumerable<string> ListsOf(Type options, string path)
    {
        foreach (PropertyInfo option in options.GetProperties())
        {
            Type type = option.PropertyType;
            if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IList<>))
                yield return path + option.Name;
            else if (type.Name.EndsWith("Options", StringComparison.Ordinal))
            {
                foreach (string list in ListsOf(type, $"{path}{option.Name}:")) yield return list;
            }
            else
            {
                // A value, or what no text can be.
                Assert.True(
                    type == typeof(string) || !typeof(System.Collections.IEnumerable).IsAssignableFrom(type),
                    $"{path}{option.Name} is a collection of another kind");
            }
        }
    }
}
