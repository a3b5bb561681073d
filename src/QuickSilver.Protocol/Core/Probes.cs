namespace QuickSilver.Protocol.Core;

/// <summary>
/// What tests see and move inside the protocol: marks for states reached, and turns taken on a whim. Every room is
/// given one through its settings; in production that is <see cref="None"/>, and each question costs one predictable
/// branch. Core thread only; allocates nothing.
/// </summary>
internal sealed class Probes
{
    private readonly ulong[]? _marks;
    private readonly IBuggify? _buggify;

    /// <summary>Makes probes for one node of a simulated cluster, or for its membership server.</summary>
    /// <param name="marks">One count for each <see cref="Mark"/>, shared by the cluster; null: nothing is
    /// counted.</param>
    /// <param name="buggify">Decides the rare turns; null: none is taken.</param>
    public Probes(ulong[]? marks = null, IBuggify? buggify = null)
    {
        _marks = marks;
        _buggify = buggify;
    }

    /// <summary>Counts nothing, takes no rare turn: the instance of production.</summary>
    public static Probes None { get; } = new();

    /// <summary>A state is reached.</summary>
    public void Hit(Mark mark)
    {
        if (_marks is { } marks) marks[(int)mark]++;
    }

    /// <summary>True when the rare turn of this site is to be taken, this time.</summary>
    public bool Here(BuggifySite site) => _buggify is { } buggify && buggify.Decide(site);
}
