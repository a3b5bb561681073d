using System.CommandLine;
using QuickSilver.Bench;
using QuickSilver.Fuzz;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Fuzz.Targets;

var names = new Argument<string[]>("target")
{ Description = "What to feed; none: everything.", Arity = ArgumentArity.ZeroOrMore };
var inputs = new Option<long>("--inputs")
{ Description = "Damaged inputs for each.", DefaultValueFactory = _ => 1_000_000 }.AtLeast(1);
var seed = new Option<ulong>("--seed") { Description = "Of the damage.", DefaultValueFactory = _ => 1 };
var list = new Option<bool>("--list") { Description = "Name the targets." };
const string about =
    "Feeds whatever reads strangers' bytes with damaged copies of real traffic. Ends with 0 when nothing went wrong.";
var root = new RootCommand(about)
{
    names, inputs, seed, list,
};
root.SetAction(parsed =>
{
    Dictionary<string, Func<long, ulong, FuzzResult>> targets = FuzzTargets.Runs(Corpus.Collect(seed: 1));
    if (parsed.GetValue(list))
    {
        Console.WriteLine(string.Join(' ', targets.Keys));
        return 0;
    }
    string[] wanted = parsed.GetValue(names) ?? [];
    if (wanted.Except(targets.Keys).FirstOrDefault() is { } unknown)
    {
        Console.Error.WriteLine($"There is no target {unknown}: --list names them.");
        return 1;
    }
    int failed = 0;
    Console.WriteLine($"{"target",-10} {"inputs",12} {"accepted",10} {"most bytes",10} {"ns/input",9}");
    foreach (string target in targets.Keys.Where(target => wanted.Length == 0 || wanted.Contains(target)))
    {
        FuzzResult result = targets[target](parsed.GetValue(inputs), parsed.GetValue(seed));
        string share = $"{(double)result.Accepted / Math.Max(1, result.Inputs):P1}";
        double nanos = result.Time.TotalNanoseconds / Math.Max(1, result.Inputs);
        Console.WriteLine(
            $"{result.Target,-10} {result.Inputs,12:N0} {share,10} {result.MostAllocated,10:N0} {nanos,9:N0}");
        if (result.Failure is null) continue;
        failed++;
        Console.WriteLine($"  FAILED: {result.Failure}");
    }
    Console.WriteLine(failed == 0 ? "Nothing threw, allocated too much or kept a trace." : $"{failed} targets FAILED.");
    return failed == 0 ? 0 : 1;
});
return await CommandLine.RunAsync(root, args);
