namespace QuickSilver.Sending;

/// <summary>
/// The total of unsent messages in all outboxes of a node.
/// <para>
/// Idea: with limits per outbox only, groups that go a thousand ways could fill a thousand times the size of a cache.
/// So the core keeps one total. While it is high, the node is crowded, and every gate is held to a small limit. That
/// limit still keeps packing supplied, since lanes take turns, and no way waits for another.
/// </para>
/// <para>
/// Awkward case: the total lacks messages admitted since an outbox's last report. An outbox reports when it passes
/// messages to the core, and at the end of a turn that packed some. Cost: one addition per report, one read per message
/// elsewhere.
/// </para>
/// </summary>
/// <param name="maxBytes">The total above which the node is crowded; below half of it the node is no longer
/// crowded.</param>
internal sealed class UnsentBudget(long maxBytes)
{
    /// <summary>Limit on an outbox's unsent bytes in a crowded node.</summary>
    public const long CrowdedLimit = 2_048;

    private const int MessageOverhead = 128;

    private long _bytes;
    private bool _isCrowded;

    /// <summary>True while every outbox is held to <see cref="CrowdedLimit"/>. Any thread.</summary>
    public bool IsCrowded => Volatile.Read(ref _isCrowded);

    /// <summary>The cost of messages in the total.</summary>
    public static long CostOf(long messages, long bytes) => bytes + (messages * MessageOverhead);

    /// <summary>Records that an outbox has more unsent than at its last report, or less. Core thread only.</summary>
    public void Change(long cost)
    {
        _bytes += cost;
        if (_bytes >= maxBytes && !_isCrowded) Volatile.Write(ref _isCrowded, true);
        if (_bytes <= maxBytes / 2 && _isCrowded) Volatile.Write(ref _isCrowded, false);
    }
}
