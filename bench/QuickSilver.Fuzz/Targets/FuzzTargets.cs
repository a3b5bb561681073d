using QuickSilver.Fuzz.Inputs;

namespace QuickSilver.Fuzz.Targets;

/// <summary>Everything that is fed.</summary>
internal static class FuzzTargets
{
    /// <summary>All targets, over one corpus.</summary>
    public static List<FuzzTarget> All(Corpus corpus) => [.. new WireTargets(corpus).All(), .. new FrameTargets(corpus).All()];
}
