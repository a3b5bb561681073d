using System.CommandLine;
using QuickSilver.Samples;
using Subscriber;

var arguments = new NodeArguments();
var linger = new Option<double>("--linger")
{
    Description = "After the expected messages stay for so many seconds, to see that no more come.",
    HelpName = "SECONDS",
};
var command = new RootCommand($"Joins groups, checks and prints what comes. {ExitCodes.Help}");
arguments.AddTo(command);
command.Options.Add(linger);
command.SetAction((parsed, ct) => SubscriberRun.RunAsync(arguments.Read(parsed), TimeSpan.FromSeconds(parsed.GetValue(linger)), ct));
return await CommandLine.RunAsync(command, args);
