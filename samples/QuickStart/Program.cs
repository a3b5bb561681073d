using System.CommandLine;
using QuickSilver;
using QuickSilver.Samples;
using QuickStart;

var groups = new Option<int>("--groups") { Description = "How many groups.", DefaultValueFactory = _ => 100 }.AtLeast(1);
var messages = new Option<int>("--messages") { Description = "How many messages in all.", DefaultValueFactory = _ => 100_000 }.AtLeast(1);
var size = new Option<int>("--size") { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 }.AtLeast(1);
var subscribers = new Option<int>("--subscribers") { Description = "How many subscribers.", DefaultValueFactory = _ => 3 }.AtLeast(1);
Option<TransportKind> transport = new Option<TransportKind>("--transport")
{
    Description = "multicast, unicast or auto.",
    DefaultValueFactory = _ => TransportKind.Auto,
}.BetweenProcesses();
var drop = new Option<double>("--drop") { Description = "Share of the datagrams that each subscriber drops, to see repair at work." }.Share();
var timeout = new Option<int>("--timeout") { Description = "Longest time it may take, in seconds.", DefaultValueFactory = _ => 120 }.AtLeast(1);
var command = new RootCommand(
    "Starts one publisher and some subscribers as processes of this machine, sends messages over many groups, "
    + $"and verifies that every subscriber got all of them, whole and in order. {ExitCodes.Help}")
{
    groups, messages, size, subscribers, transport, drop, timeout,
};
command.SetAction((parsed, ct) =>
{
    var plan = new ClusterPlan(parsed.GetValue(groups), parsed.GetValue(messages), parsed.GetValue(size), parsed.GetValue(subscribers),
        parsed.GetValue(transport), parsed.GetValue(drop), TimeSpan.FromSeconds(parsed.GetValue(timeout)));
    return ClusterRun.RunAsync(plan, ct);
});
return await CommandLine.RunAsync(command, args);
