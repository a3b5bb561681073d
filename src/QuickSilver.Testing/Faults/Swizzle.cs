using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Faults;

/// <summary>Links that are stopped one by one and mended one by one in another order: each moment has a different
/// partial network.</summary>
internal static class Swizzle
{
    /// <summary>Makes the cuts.</summary>
    /// <param name="at">When the first link stops.</param>
    /// <param name="step">Time from one link to the next.</param>
    /// <param name="nodes">Nodes of the cluster.</param>
    /// <param name="links">How many directed links are stopped, at most all of them.</param>
    /// <param name="seed">Decides which links, and in which orders.</param>
    public static IReadOnlyList<LinkCut> Make(TimeSpan at, TimeSpan step, int nodes, int links, ulong seed)
    {
        (int From, int To)[] all =
        [
            .. from source in Enumerable.Range(0, nodes)
               from target in Enumerable.Range(0, nodes)
               where source != target
               select (source, target),
        ];
        int count = Math.Min(links, all.Length);
        (int From, int To)[] stopped = [.. all.OrderBy(link => Rank(link, seed, 0)).Take(count)];
        (int From, int To)[] mended = [.. stopped.OrderBy(link => Rank(link, seed, 1))];
        TimeSpan turn = at + (step * count);
        return
        [
            .. stopped.Select((link, index) =>
            {
                TimeSpan begins = at + (step * index);
                return new LinkCut(begins, turn + (step * Array.IndexOf(mended, link)) - begins, link.From, link.To);
            }),
        ];
    }

    private static ulong Rank((int From, int To) link, ulong seed, ulong round) =>
        SeededRandom.Mix(SeededRandom.Mix(seed + (round << 32)) + ((ulong)link.From << 16) + (ulong)link.To);
}
