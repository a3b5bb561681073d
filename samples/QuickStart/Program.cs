// QuickStart: one publisher and three subscribers, a process each, 100 groups, 100,000 messages, all verified.
//
//   dotnet run -c Release --project samples/QuickStart
//   dotnet run -c Release --project samples/QuickStart -- --drop 0.05      shows repair; --help lists the options
//
// Each subscriber checks that every message arrives once, whole and in order, and says how long messages took. This
// process hosts the membership and starts the others, with its own arguments and a role. It ends with 0 if they do.

using System.CommandLine;
using System.Diagnostics;
using QuickSilver;
using QuickStart;

var groups = new Option<int>("--groups") { Description = "How many groups.", DefaultValueFactory = _ => 100 };
var messages = new Option<int>("--messages") { Description = "How many messages.", DefaultValueFactory = _ => 100_000 };
var size = new Option<int>("--size") { Description = "Bytes of a message.", DefaultValueFactory = _ => 1000 };
var subscribers = new Option<int>("--subscribers") { Description = "How many.", DefaultValueFactory = _ => 3 };
var drop = new Option<double>("--drop") { Description = "Share of the datagrams that each subscriber drops." };
var timeout = new Option<int>("--timeout") { Description = "Most seconds.", DefaultValueFactory = _ => 120 };
var role = new Option<string?>("--role") { Hidden = true };
var port = new Option<int>("--port") { Hidden = true, DefaultValueFactory = _ => Random.Shared.Next(20_000, 32_000) };
var command = new RootCommand("Sends messages from one process to others, over many groups, and verifies them.")
{
    groups, messages, size, subscribers, drop, timeout, role, port,
};
command.SetAction(async (parsed, user) =>
{
    var plan = new Plan(
        parsed.GetValue(groups), parsed.GetValue(messages), parsed.GetValue(size), parsed.GetValue(subscribers),
        parsed.GetValue(drop), parsed.GetValue(port));
    using var stop = CancellationTokenSource.CreateLinkedTokenSource(user);
    stop.CancelAfter(TimeSpan.FromSeconds(parsed.GetValue(timeout)));
    try
    {
        plan.Validate();
        string? fault = await (parsed.GetValue(role) switch
        {
            null => RunAllAsync(plan, stop.Token),
            "publisher" => Publisher.RunAsync(plan, stop.Token),
            { } name => Subscriber.RunAsync(plan, name, stop.Token),
        });
        if (fault is null) return 0;
        await Console.Error.WriteLineAsync($"{parsed.GetValue(role) ?? "FAILED"}: {fault}");
    }
    catch (OperationCanceledException) when (stop.IsCancellationRequested)
    {
        await Console.Error.WriteLineAsync(user.IsCancellationRequested ? "Interrupted." : "The time was up.");
    }
    catch (Exception failure) when (failure is QuickSilverException or ArgumentException)
    {
        await Console.Error.WriteLineAsync(failure.Message);
    }
    return 1;
});
return await command.Parse(args).InvokeAsync(new() { ProcessTerminationTimeout = TimeSpan.FromSeconds(10) });

async Task<string?> RunAllAsync(Plan plan, CancellationToken stop)
{
    await using QuickSilverNode host = await QuickSilverNode.StartAsync(plan.NodeOptions("host"), stop);
    IEnumerable<string> roles = Enumerable.Range(1, plan.Subscribers).Select(static number => $"subscriber-{number}");
    List<Process> processes = [.. roles.Append("publisher").Select(name => Process.Start(
        "dotnet", [typeof(Plan).Assembly.Location, .. args, "--port", $"{plan.Port}", "--role", name]))];
    try
    {
        await Task.WhenAll(processes.Select(process => process.WaitForExitAsync(stop)));
    }
    finally
    {
        foreach (Process process in processes.Where(static process => !process.HasExited)) process.Kill();
    }
    if (processes.Exists(static process => process.ExitCode != 0)) return "not all processes ended well";
    Console.WriteLine($"Verified: {plan.Messages:N0} messages of {plan.Size:N0} bytes over {plan.Groups} groups "
        + $"reached each of {plan.Subscribers} subscribers once, whole and in order.");
    return null;
}
