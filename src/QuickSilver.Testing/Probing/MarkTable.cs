using System.Globalization;
using System.Text;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Probing;

/// <summary>How often the runs of an ensemble have reached each <see cref="Mark"/>. Adding is thread safe.</summary>
internal sealed class MarkTable
{
    private static readonly Mark[] All = Enum.GetValues<Mark>();

    private readonly ulong[] _hits = new ulong[All.Length];
    private readonly ulong[] _runs = new ulong[All.Length];
    private readonly Lock _gate = new();

    /// <summary>Runs added.</summary>
    public ulong Runs { get; private set; }

    /// <summary>Makes the counts of one run, to be given to its probes.</summary>
    public static ulong[] NewCounts() => new ulong[All.Length];

    /// <summary>How often a mark was hit.</summary>
    public ulong this[Mark mark] => _hits[(int)mark];

    /// <summary>Marks that no run has hit.</summary>
    public IEnumerable<Mark> Unhit => All.Where(mark => _hits[(int)mark] == 0);

    /// <summary>Adds one run.</summary>
    public void Add(ReadOnlySpan<ulong> counts)
    {
        lock (_gate)
        {
            Runs++;
            for (int index = 0; index < All.Length; index++)
            {
                _hits[index] += counts[index];
                if (counts[index] > 0) _runs[index]++;
            }
        }
    }

    /// <summary>One line for each mark: its name, hits, and the runs that hit it.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        foreach (Mark mark in All)
            text.Append(
                CultureInfo.InvariantCulture,
                $"{mark,-40} {_hits[(int)mark],12} hits in {_runs[(int)mark],6} of {Runs} runs\n");
        return text.ToString();
    }
}
