using System.Globalization;

namespace QuickSilver.Bench.Chaos;

/// <summary>Which life of which process a message says it comes from. A life is an incarnation of a node: it ends with
/// the process, an eviction, or an orderly end.</summary>
/// <param name="Node">Number of the node.</param>
/// <param name="Process">Which process of the node, from 1.</param>
/// <param name="Life">Which life of the process, from 1.</param>
internal readonly record struct ChaosOrigin(int Node, int Process, int Life)
{
    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Node}.{Process}.{Life}");

    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    public static ChaosOrigin Parse(string text)
    {
        int[] parts = [.. text.Split('.').Select(part => int.Parse(part, CultureInfo.InvariantCulture))];
        return new ChaosOrigin(parts[0], parts[1], parts[2]);
    }
}
