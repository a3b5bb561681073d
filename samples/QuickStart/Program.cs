using System.CommandLine;
using QuickSilver;
using QuickSilver.Samples;
using QuickStart;

var groups = new Option<int>("--groups") { Description = "How many groups.", DefaultValueFactory = _ => 100 };
var messages = new Option<int>("--messages") { Description = "How many messages in all.", DefaultValueFactory = _ => 100_000 };
var size = new Option<int>("--size") { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 };
var subscribers = new Option<int>("--subscribers") { Description = "How many subscribers.", DefaultValueFactory = _ => 3 };
var transport = new Option<TransportKind>("--transport") { Description = "multicast, unicast or auto.", DefaultValueFactory = _ => TransportKind.Auto };
var drop = new Option<double>("--drop") { Description = "Share of the datagrams that each subscriber drops, to see repair at work." };
var timeout = new Option<int>("--timeout") { Description = "Longest time it may take, in seconds.", DefaultValueFactory = _ => 120 };
var command = new RootCommand(
    $"Starts one publisher and some subscribers as processes of this machine, sends messages over many groups, and verifies that every subscriber got all of them, whole and in order. {ExitCodes.Help}")
{
    groups, messages, size, subscribers, transport, drop, timeout,
};
command.Validators.Add(result =>
{
    foreach (Option<int> option in (Option<int>[])[groups, messages, size, subscribers, timeout])
    {
        if (result.GetValue(option) < 1) result.AddError($"{option.Name} is less than 1.");
    }
    if (result.GetValue(drop) is < 0 or >= 1) result.AddError("--drop is not in [0, 1).");
});
command.SetAction((parsed, ct) =>
{
    var plan = new ClusterPlan(parsed.GetValue(groups), parsed.GetValue(messages), parsed.GetValue(size), parsed.GetValue(subscribers),
        parsed.GetValue(transport), parsed.GetValue(drop), TimeSpan.FromSeconds(parsed.GetValue(timeout)));
    return ClusterRun.RunAsync(plan, ct);
});
return await command.Parse(args).InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(10) });
