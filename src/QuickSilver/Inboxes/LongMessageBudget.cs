namespace QuickSilver.Inboxes;

/// <summary>
/// The unread bytes of all long messages of a node. When they exceed the limit, the long message that holds most fails.
/// Charged on the core thread, released on any thread.
/// </summary>
/// <param name="totalBytes">Limit on unread bytes.</param>
internal sealed class LongMessageBudget(long totalBytes)
{
    private readonly Lock _lock = new();
    private readonly HashSet<LongMessageBody> _bodies = [];
    private long _bytes;

    /// <summary>Adds a long message.</summary>
    public void Add(LongMessageBody body)
    {
        lock (_lock) _bodies.Add(body);
    }

    /// <summary>Removes a long message that holds nothing any more. Any thread.</summary>
    public void Remove(LongMessageBody body)
    {
        lock (_lock) _bodies.Remove(body);
    }

    /// <summary>Counts bytes that have arrived. Core thread only; hold no lock of a long message.</summary>
    public void Charge(long bytes)
    {
        if (Interlocked.Add(ref _bytes, bytes) <= totalBytes) return;
        LongMessageBody? largest = null;
        lock (_lock)
        {
            foreach (LongMessageBody body in _bodies)
            {
                if (largest is null || body.Unread > largest.Unread) largest = body;
            }
        }
        largest?.Overflow($"Delivery.InboxMaxBytesPerNode ({totalBytes}) for the long messages of the node together");
    }

    /// <summary>Counts bytes that were read or dropped. Any thread.</summary>
    public void Release(long bytes) => Interlocked.Add(ref _bytes, -bytes);
}
