using System.CommandLine;
using QuickSilver.Bench;
using QuickSilver.TestPrograms;

// Programs that tests start as processes: they send and check generated messages, and write a report.
return await CommandLine.RunAsync(
    new RootCommand($"Sends and checks generated messages. {ExitCodes.Help}") { Publish(), Subscribe() }, args);

static Command Publish()
{
    var arguments = new NodeArguments();
    var traffic = new TrafficArguments();
    var command = new Command(
        "publish",
        "Joins groups and sends to them, round-robin: generated messages with --count, else the lines of standard "
        + "input. With --expect it also checks the messages of others.");
    arguments.AddTo(command);
    traffic.AddTo(command);
    command.SetAction((parsed, ct) => PublisherRun.RunAsync(arguments.Read(parsed), traffic.Read(parsed), ct));
    return command;
}

static Command Subscribe()
{
    var arguments = new NodeArguments();
    var linger = new Option<double>("--linger")
    {
        Description = "After the expected messages stay for so many seconds, to see that no more come.",
        HelpName = "SECONDS",
    };
    var command = new Command("subscribe", "Joins groups, checks and prints the messages that arrive.");
    arguments.AddTo(command);
    command.Options.Add(linger);
    command.SetAction((parsed, ct) =>
        SubscriberRun.RunAsync(arguments.Read(parsed), TimeSpan.FromSeconds(parsed.GetValue(linger)), ct));
    return command;
}
