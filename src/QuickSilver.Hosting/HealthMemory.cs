namespace QuickSilver.Hosting;

/// <summary>What a health check has to remember: when something bad was last seen. Any thread.</summary>
internal sealed class HealthMemory
{
    private readonly Lock _lock = new();
    private string? _unicast;
    private long _lost;
    private long _slow;
    private long _stalls;
    private DateTimeOffset _lastLoss;
    private DateTimeOffset _lastSlow;
    private DateTimeOffset _lastStall;

    /// <summary>Why the node's packets travel by unicast though multicast was possible; null if they do not.</summary>
    public string? Unicast => Volatile.Read(ref _unicast);

    /// <summary>Listens to the events of a node that was to use multicast if it can.</summary>
    public void Watch(QuickSilverNode node) => node.Events += (_, happened) =>
    {
        if (happened is CarrierSelected { Chosen: Carrier.Unicast } carrier)
            Volatile.Write(ref _unicast, carrier.Reason);
    };

    /// <summary>Compares statistics with those of earlier calls.</summary>
    /// <returns>What has been bad within <paramref name="memory"/>.</returns>
    public IEnumerable<string> Note(NodeStatistics now, TimeSpan memory)
    {
        lock (_lock)
        {
            var reasons = new List<string>();
            Note(ref _lost, ref _lastLoss, now.MessagesLost, "messages were lost");
            Note(ref _slow, ref _lastSlow, now.SlowConsumers, "a reader was too slow");
            Note(ref _stalls, ref _lastStall, now.Stalls, "the core thread was blocked");
            return reasons;

            void Note(ref long before, ref DateTimeOffset last, long count, string what)
            {
                if (count > before) last = now.Time;
                before = count;
                if (count > 0 && now.Time - last < memory) reasons.Add($"{what}, {count} in all");
            }
        }
    }
}
