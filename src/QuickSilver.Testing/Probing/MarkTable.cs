using System.Globalization;
using System.Text;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Testing.Probing;

/// <summary>
/// How often the runs of an ensemble have reached each mark: the states named at calls of
/// <see cref="Probes.Reached"/>, and the counters. Adding is thread safe.
/// </summary>
internal sealed class MarkTable
{
    private readonly Dictionary<string, ulong> _hits = [];
    private readonly Dictionary<string, ulong> _runs = [];
    private readonly Lock _gate = new();

    /// <summary>Runs added.</summary>
    public ulong Runs { get; private set; }

    /// <summary>How often a mark was reached; 0 too for one that is not there.</summary>
    public ulong this[string mark] => _hits.GetValueOrDefault(mark);

    /// <summary>Adds one run.</summary>
    public void Add(IReadOnlyDictionary<string, ulong> counts)
    {
        lock (_gate)
        {
            Runs++;
            foreach ((string mark, ulong count) in counts)
            {
                if (count == 0) continue;
                _hits[mark] = _hits.GetValueOrDefault(mark) + count;
                _runs[mark] = _runs.GetValueOrDefault(mark) + 1;
            }
        }
    }

    /// <summary>One line for each mark that was reached: its name, how often, and by how many runs.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        foreach ((string mark, ulong hits) in _hits.OrderBy(pair => pair.Key, StringComparer.Ordinal))
            text.Append(
                CultureInfo.InvariantCulture,
                $"{mark,-80} {hits,12} times in {_runs[mark],6} of {Runs} runs\n");
        return text.ToString();
    }
}
