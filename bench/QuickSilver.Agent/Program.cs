using System.CommandLine;
using System.Net;
using QuickSilver.Bench;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Roles;

if (args is [RoleProgram.Word]) return await RoleProgram.RunAsync();

var listen = new Option<string>("--listen")
{
    Description = "Address and port to wait for coordinators at; port 0: any.",
    DefaultValueFactory = _ => "0.0.0.0:14990",
    HelpName = "ADDRESS:PORT",
};
listen.Validators.Add(result =>
{
    if (!IPEndPoint.TryParse(result.GetValueOrDefault<string>(), out _))
        result.AddError("--listen is not ADDRESS:PORT.");
});
var key = new Option<FileInfo>("--key")
{ Description = "The file with the key that coordinators have to know.", Required = true, HelpName = "FILE" };
var makeKey = new Option<bool>("--make-key") { Description = "Draw a key, write it to the file, and end." };
var address = new Option<string?>("--address")
{
    Description = "IPv4 address of the network interface that the runs use. Default: the one that is called.",
    HelpName = "ADDRESS",
};
address.Validators.Add(result =>
{
    if (!IPAddress.TryParse(result.GetValueOrDefault<string>(), out _)) result.AddError("--address is no address.");
});
var tied = new Option<bool>("--tied") { Description = "End when standard input ends." };
var answer = Seconds("--answer", "How long a coordinator may take to prove the key, and to read.", 5);
var silence = Seconds("--silence", "How long a coordinator may say nothing before its run is ended.", 8);
var root = new RootCommand(
    "Starts the processes of measurements on this host, for a coordinator that knows the key: one run at a time.")
{
    listen, key, makeKey, address, tied, answer, silence,
};
root.SetAction(async (parsed, ct) =>
{
    try
    {
        string file = parsed.GetValue(key)!.FullName;
        if (parsed.GetValue(makeKey))
        {
            AgentKey.Generate().Write(file);
            return 0;
        }
        using AgentServer server = AgentServer.Listen(
            IPEndPoint.Parse(parsed.GetValue(listen)!), AgentKey.Read(file),
            parsed.GetValue(address) is { } named ? IPAddress.Parse(named) : null,
            AgentLimits.OfSeconds(parsed.GetValue(answer), parsed.GetValue(silence)));
        using var end = CancellationTokenSource.CreateLinkedTokenSource(ct);
        if (parsed.GetValue(tied))
        {
            new Thread(() =>
            {
                while (Console.In.Read() >= 0) { }
                end.Cancel();
            })
            { IsBackground = true, Name = "tied" }.Start();
        }
        Console.WriteLine($"listening at {server.EndPoint}");
        await server.RunAsync(end.Token);
        return 0;
    }
    catch (Exception failure) when (failure is RunFailedException or IOException)
    {
        Console.Error.WriteLine($"agent: {failure.Message}");
        return 1;
    }
});
return await CommandLine.RunAsync(root, args);

static Option<double> Seconds(string name, string description, double usual)
{
    var option = new Option<double>(name)
    {
        Description = $"{description} In seconds.",
        DefaultValueFactory = _ => usual,
        HelpName = "S",
    };
    option.Validators.Add(result =>
    {
        if (!(result.GetValueOrDefault<double>() is > 0 and <= 3600)) result.AddError($"{name} is not 0 to 3600.");
    });
    return option;
}
