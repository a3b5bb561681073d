using System.CommandLine;
using Publisher;
using QuickSilver.Samples;

var arguments = new NodeArguments();
var traffic = new TrafficArguments();
var command = new RootCommand(
    "Joins groups and sends to them, round-robin: generated messages with --count, else the lines of standard input. "
    + $"With --expect it also checks what others send. {ExitCodes.Help}");
arguments.AddTo(command);
traffic.AddTo(command);
command.SetAction((parsed, ct) => PublisherRun.RunAsync(arguments.Read(parsed), traffic.Read(parsed), ct));
return await CommandLine.RunAsync(command, args);
