using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace QuickSilver.Diagnostics;

/// <summary>
/// A meter named "QuickSilver", and the nodes that share it: all of the process, or those with the same meter factory.
/// Collectors count the instruments of all meters, and drop those beyond a limit. Any thread.
/// </summary>
internal sealed class SharedMeter
{
    private const string MeterName = "QuickSilver";

    private static readonly Lock Gate = new();
    private static readonly ConditionalWeakTable<IMeterFactory, SharedMeter> OfFactories = [];
    private static SharedMeter? _ofProcess;

    private readonly IMeterFactory? _factory;
    private NodeMeter[] _nodes = [];
    private Meter? _own;
    private MeterInstruments? _instruments;

    private SharedMeter(IMeterFactory? factory) => _factory = factory;

    /// <summary>The instruments; null before they are published.</summary>
    public MeterInstruments? Instruments => Volatile.Read(ref _instruments);

    /// <summary>Adds a node. The first one publishes the instruments.</summary>
    /// <param name="factory">Creates the meter; null: the nodes of the process have one.</param>
    /// <param name="node">The node.</param>
    public static SharedMeter Join(IMeterFactory? factory, NodeMeter node)
    {
        SharedMeter? shared;
        bool isNew = false;
        lock (Gate)
        {
            if (factory is null) shared = _ofProcess;
            else OfFactories.TryGetValue(factory, out shared);
            if (shared is null)
            {
                isNew = true;
                shared = new SharedMeter(factory);
                if (factory is null) _ofProcess = shared;
                else OfFactories.Add(factory, shared);
            }
            shared._nodes = [.. shared._nodes, node];
        }
        // Outside the lock: it runs code of the application.
        if (isNew) shared.Publish(node);
        return shared;
    }

    /// <summary>Removes a node. With the last one the instruments go, unless a factory made the meter and keeps
    /// it.</summary>
    public void Leave(NodeMeter node)
    {
        Meter? ended = null;
        lock (Gate)
        {
            _nodes = Array.FindAll(_nodes, other => !ReferenceEquals(other, node));
            if (_nodes.Length == 0 && _own is not null)
            {
                ended = _own;
                if (_factory is null) _ofProcess = null;
                else OfFactories.Remove(_factory);
            }
        }
        if (ended is not null) node.Guard(ended.Dispose);
    }

    private void Publish(NodeMeter first)
    {
        var options = new MeterOptions(MeterName);
        Meter? made = null;
        first.Guard(() => made = _factory?.Create(options));
        if (made is null)
        {
            made = new Meter(options);
            lock (Gate) _own = made;
        }
        var instruments = new MeterInstruments(made, () => Volatile.Read(ref _nodes), first.Guard);
        Volatile.Write(ref _instruments, instruments);
        instruments.Publish();
    }
}
