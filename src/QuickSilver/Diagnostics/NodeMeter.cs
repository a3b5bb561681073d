using System.Diagnostics.Metrics;

namespace QuickSilver.Diagnostics;

/// <summary>
/// A node's part of the meter "QuickSilver", which the nodes of a process share (<see cref="SharedMeter"/>): its tags,
/// and where its figures are read. The core never calls a listener; the histograms are recorded on a pool thread
/// (<see cref="DurationSamples"/>).
/// <para>
/// Publishing and removing an instrument runs code of the application on this thread: its meter factory and its
/// listeners. Their exceptions are logged, and cost the node only the instrument.
/// </para>
/// </summary>
internal sealed class NodeMeter : IDisposable, IDurationRecorder
{
    private const string PhaseTag = "phase";

    private static readonly string[] Phases = ["requests", "io", "alarms", "pull"];

    private readonly Func<NodeStatistics> _read;
    private readonly NodeLog _log;
    private readonly SharedMeter _meter;
    private readonly KeyValuePair<string, object?> _node;

    /// <summary>Adds a node to its meter.</summary>
    /// <param name="factory">Creates the meter; null: the nodes of the process create their own.</param>
    /// <param name="nodeName">Tag of the figures, to distinguish the nodes of a process.</param>
    /// <param name="transport">Tag of the packets.</param>
    /// <param name="read">Returns the latest statistics.</param>
    /// <param name="log">Logs exceptions of the application's code.</param>
    public NodeMeter(IMeterFactory? factory, string nodeName, string transport, Func<NodeStatistics> read, NodeLog log)
    {
        _read = read;
        _log = log;
        _node = new("quicksilver.node", nodeName);
        Carrier = new("transport", transport);
        _meter = SharedMeter.Join(factory, this);
    }

    /// <inheritdoc/>
    public bool IsWanted => Instruments?.Rounds is { Enabled: true } || Instruments?.Phases is { Enabled: true };

    private MeterInstruments? Instruments => _meter.Instruments;

    /// <summary>Returns the latest statistics. Any thread.</summary>
    public NodeStatistics Read() => _read();

    /// <summary>Tag of the packets. Any thread.</summary>
    public KeyValuePair<string, object?> Carrier { get; }

    /// <summary>Tags of a figure, the node's own with them. Any thread.</summary>
    /// <param name="others">The others.</param>
    public KeyValuePair<string, object?>[] Tags(KeyValuePair<string, object?>[] others) => [.. others, _node];

    /// <inheritdoc/>
    public void Record(int kind, TimeSpan took) => Guard(() =>
    {
        if (kind == DurationSamples.TokenRound) Instruments?.Rounds?.Record(took.TotalSeconds, _node);
        else
            Instruments?.Phases?.Record(
                took.TotalSeconds, new KeyValuePair<string, object?>(PhaseTag, Phases[kind]), _node);
    });

    /// <summary>Takes the node from its meter.</summary>
    public void Dispose() => _meter.Leave(this);

    /// <summary>Calls code of the application, and logs what it throws.</summary>
    public void Guard(Action call)
    {
        try
        {
            call();
        }
        catch (Exception fault)
        {
            _log.Post(fault, static (logger, thrown) => Log.MeteringFailed(logger, thrown));
        }
    }
}
