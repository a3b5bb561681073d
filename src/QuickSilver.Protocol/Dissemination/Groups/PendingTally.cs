using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// How much of one group is pending, and the callers that wait for its stability. A field of
/// <see cref="UnfinishedMessages"/>, never copied. Costs nothing extra per message while nobody waits. Core thread
/// only.
/// </summary>
internal struct PendingTally
{
    private FlushMarkers? _flushes;
    private ulong _ordinal;

    /// <summary>Pending messages.</summary>
    public long Messages { get; private set; }

    /// <summary>Bytes of those messages.</summary>
    public long Bytes { get; private set; }

    /// <summary>Counts messages as pending from now on.</summary>
    /// <returns>Ordinal of the first, in the order in which messages were taken; the others follow it.</returns>
    public ulong Add(int messages, long bytes)
    {
        ulong first = _ordinal + 1;
        _ordinal += (ulong)messages;
        Messages += messages;
        Bytes += bytes;
        return first;
    }

    /// <summary>Counts messages as stable.</summary>
    public void Remove(int messages, long bytes)
    {
        Messages -= messages;
        Bytes -= bytes;
    }

    /// <summary>Notifies flushes that waited for a number of messages from an ordinal on, which are stable.</summary>
    public readonly void NotifyFlushes(ulong firstOrdinal, int count, Instant now) =>
        _flushes?.OnStable(firstOrdinal, count, now);

    /// <summary>Calls back when everything that is pending now is stable; at once when nothing is.</summary>
    public void Flush(SendContext context, Action<Instant> flushed, Instant now)
    {
        if (Messages == 0)
        {
            flushed(now);
            return;
        }
        _flushes ??= new FlushMarkers(context);
        _flushes.Add(_ordinal, Messages, flushed);
    }
}
