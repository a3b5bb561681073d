using QuickSilver.Fuzz.Inputs;
using QuickSilver.Fuzz.Worlds;

namespace QuickSilver.Fuzz.Targets;

/// <summary>Everything that is fed.</summary>
internal static class FuzzTargets
{
    /// <summary>The decoders, over one corpus.</summary>
    public static List<FuzzTarget> All(Corpus corpus) =>
        [
            .. new WireTargets(corpus).All(), .. new FrameTargets(corpus).All(), HandshakeTarget.Create(),
            .. new SealedTargets(corpus).All(), .. OrderTargets.All(), .. SiteTargets.All(),
        ];

    /// <summary>All by name, the decoders first and then what has a memory: told how many inputs, and a seed.</summary>
    public static Dictionary<string, Func<long, ulong, FuzzResult>> Runs(Corpus corpus)
    {
        var runs = new Dictionary<string, Func<long, ulong, FuzzResult>>(StringComparer.Ordinal);
        foreach (FuzzTarget target in All(corpus))
            runs.Add(target.Name, (inputs, seed) => FuzzRunner.Run(target, inputs, seed));
        runs.Add(
            "server", (inputs, seed) => new ServerWorld(upwards: true, corpus.AllFrames, seed).Run("server", inputs));
        runs.Add(
            "agent", (inputs, seed) => new ServerWorld(upwards: false, corpus.AllFrames, seed).Run("agent", inputs));
        runs.Add("node", (inputs, seed) => new NodeWorld(lies: false, corpus.AllDatagrams, seed).Run("node", inputs));
        runs.Add("lies", (inputs, seed) => new NodeWorld(lies: true, corpus.AllDatagrams, seed).Run("lies", inputs));
        return runs;
    }
}
