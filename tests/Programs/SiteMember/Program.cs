using Microsoft.Extensions.Configuration;
using QuickSilver;
using QuickSilver.Tests.Programs;
using QuickSilver.WideArea;

// A node of a site, driven as TestMember is: options as "Path=value" arguments, commands as lines on standard input. It
// has a gateway beside it when options under "Gateway" are given. What it understands and says: SiteCommands,
// MemberLines.
var lines = new MemberLines();
var configuration = new ConfigurationBuilder();
configuration.AddInMemoryCollection(args.Select(static argument => argument.Split('=', 2))
    .Select(static pair => KeyValuePair.Create(pair[0], (string?)pair[1])));
IConfiguration values = configuration.Build();
var options = new QuickSilverOptions();
foreach (IConfigurationSection section in values.GetChildren().Where(static one => one.Key == "Membership"))
    section.Bind(options.Membership);
values.GetSection("Security").Bind(options.Security);
options.ClusterName = values["ClusterName"]!;
options.NodeName = values["NodeName"];
options.UseLoggerFactory(lines);
SiteGatewayOptions? gateway = null;
if (values["Gateway:Site"] is not null)
{
    gateway = new SiteGatewayOptions().UseLoggerFactory(lines);
    values.GetSection("Gateway").Bind(gateway);
}
await using var commands = new SiteCommands(options, gateway, lines);
while (await Console.In.ReadLineAsync() is { } line)
    _ = commands.RunAsync(line.Split(' ', StringSplitOptions.RemoveEmptyEntries));
return 0;
