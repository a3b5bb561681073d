using System.Runtime.InteropServices;

namespace QuickSilver.Protocol.Probing;

/// <summary>
/// What tests see and move inside the protocol: marks for states reached, and turns taken on a whim. Every room is
/// given one through its settings; in production that is <see cref="None"/>, and each question costs one predictable
/// branch. Core thread only; allocates nothing in production.
/// </summary>
internal sealed class Probes
{
    private readonly Dictionary<string, ulong>? _marks;
    private readonly IBuggify? _buggify;

    /// <summary>Makes probes for one node of a simulated cluster, or for its membership server.</summary>
    /// <param name="marks">How often each mark is reached, shared by the cluster; null: nothing is counted.</param>
    /// <param name="buggify">Decides the rare turns; null: none is taken.</param>
    public Probes(Dictionary<string, ulong>? marks = null, IBuggify? buggify = null)
    {
        _marks = marks;
        _buggify = buggify;
    }

    /// <summary>Counts nothing, takes no rare turn: the instance of production.</summary>
    public static Probes None { get; } = new();

    /// <summary>
    /// A state is reached that is worth reaching. Tests read the marks out of the code, and an ensemble of runs must
    /// reach each. A state that has a counter needs no mark: the counter is one.
    /// </summary>
    /// <param name="mark">The state in plain words: a literal, or a choice between literals, at the call.</param>
    public void Reached(string mark)
    {
        if (_marks is { } marks) CollectionsMarshal.GetValueRefOrAddDefault(marks, mark, out _)++;
    }

    /// <summary>True when the rare turn of this site is to be taken, this time.</summary>
    public bool Here(BuggifySite site) => _buggify is { } buggify && buggify.Decide(site);
}
