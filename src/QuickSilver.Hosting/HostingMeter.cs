using System.Diagnostics.Metrics;

namespace QuickSilver.Hosting;

/// <summary>Instruments of one hosted node, on the meter "QuickSilver.Hosting". They cost nothing while nobody
/// listens. Groups are no tags: there may be thousands.</summary>
internal sealed class HostingMeter : IDisposable
{
    /// <summary>Name of the meter.</summary>
    public const string Name = "QuickSilver.Hosting";

    private static readonly KeyValuePair<string, object?> System = new("messaging.system", "quicksilver");
    private static readonly KeyValuePair<string, object?> Operation = new("messaging.operation.name", "process");

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?> _node;
    private readonly Counter<long> _rejoins;
    private readonly Counter<long> _faults;
    private readonly Counter<long> _undeserialized;
    private readonly Histogram<double> _handled;

    /// <summary>Creates the instruments.</summary>
    /// <param name="factory">Creates the meter; null: it belongs to the node alone.</param>
    /// <param name="node">Tag of what is counted, to tell the nodes of a process apart.</param>
    public HostingMeter(IMeterFactory? factory, string node)
    {
        // No tag of the meter: collectors count instruments, and drop those beyond a limit.
        var options = new MeterOptions(Name);
        _node = new("quicksilver.node", node);
        _meter = factory?.Create(options) ?? new Meter(options);
        _rejoins = _meter.CreateCounter<long>("quicksilver.group.rejoins", "{rejoin}", "Groups joined again");
        _faults = _meter.CreateCounter<long>("quicksilver.handler.errors", "{error}", "Exceptions of handler classes");
        _undeserialized = _meter.CreateCounter<long>(
            "quicksilver.messages.undeserialized", "{message}", "Messages of typed groups that were no values");
        _handled = _meter.CreateHistogram<double>(
            "messaging.process.duration", "s", "Duration of a call of a handler class");
    }

    /// <summary>Whether somebody listens to the duration of calls.</summary>
    public bool TimesHandlers => _handled.Enabled;

    /// <summary>Counts a group that was joined again.</summary>
    public void OnRejoin(QuickSilverException reason) =>
        _rejoins.Add(1, new KeyValuePair<string, object?>("reason", ReasonOf(reason)), _node);

    /// <summary>Counts an exception of a handler.</summary>
    public void OnHandlerFault() => _faults.Add(1, _node);

    /// <summary>Counts a message that is no value.</summary>
    public void OnUndeserialized() => _undeserialized.Add(1, _node);

    /// <summary>Notes the duration of a call.</summary>
    public void OnHandled(TimeSpan duration) => _handled.Record(duration.TotalSeconds, System, Operation, _node);

    /// <summary>Removes the instruments.</summary>
    public void Dispose() => _meter.Dispose();

    private static string ReasonOf(QuickSilverException reason) => reason switch
    {
        NodeEvictedException => "evicted",
        SlowConsumerException => "slow_reader",
        _ => reason.Code.ToString(),
    };
}
