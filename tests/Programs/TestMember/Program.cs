using Microsoft.Extensions.Configuration;
using QuickSilver;
using QuickSilver.Tests.Programs;

// One node that a test drives: options as "Path=value" arguments, commands as lines on standard input, answers and news
// as lines on standard output. "Etcd=HOST:PORT" has an etcd elect the server. It ends with its standard input. What it
// understands, and what it says: MemberCommands, MemberLines.
var lines = new MemberLines();
var configuration = new ConfigurationBuilder();
Dictionary<string, string?> given = args.Select(static argument => argument.Split('=', 2))
    .ToDictionary(static pair => pair[0], static pair => (string?)pair[1]);
given.Remove("Etcd", out string? etcd);
configuration.AddInMemoryCollection(given);
IConfiguration values = configuration.Build();

QuickSilverOptions MakeOptions()
{
    var options = new QuickSilverOptions();
    if (etcd is not null) options.Membership.UseEtcd(etcd);
    values.Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
    return options.UseLoggerFactory(lines);
}

var commands = new MemberCommands(MakeOptions, lines);
while (await Console.In.ReadLineAsync() is { } line)
{
    if (!await commands.TryRunAsync(line.Split(' ', StringSplitOptions.RemoveEmptyEntries))) break;
}
await commands.DisposeAsync();
return 0;
