using System.CommandLine;
using QuickSilver.Bench;
using QuickSilver.Simulator.Verbs;

var root = new RootCommand("Runs simulated clusters. Ends with 0 when every promise was kept and every bar was met.");
root.Subcommands.Add(RunVerb.Make());
root.Subcommands.Add(ReplayVerb.Make());
root.Subcommands.Add(ShrinkVerb.Make());
root.Subcommands.Add(DisturbanceVerb.Make());
root.Subcommands.Add(HerdVerb.Make());
root.Subcommands.Add(WrittenRunsVerb.Restarts());
root.Subcommands.Add(WrittenRunsVerb.Elections());
root.Subcommands.Add(WrittenRunsVerb.Peers());
root.Subcommands.Add(ChurnVerb.Make());
root.Subcommands.Add(OverlapVerb.Make());
root.Subcommands.Add(RicochetVerb.Make());
root.Subcommands.Add(TimedVerb.Make());
root.Subcommands.Add(WrittenRunsVerb.Sites());
return await CommandLine.RunAsync(root, args);
