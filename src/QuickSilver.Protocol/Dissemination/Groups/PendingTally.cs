using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// How much of one group is pending, and who waits for it to be stable. A field of <see cref="UnfinishedMessages"/>, never copied. Costs nothing more
/// per message while nobody waits. Core thread only.
/// </summary>
internal struct PendingTally
{
    private FlushMarkers? _flushes;
    private ulong _ordinal;

    /// <summary>Messages.</summary>
    public long Messages { get; private set; }

    /// <summary>Their bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>Messages are pending from now on.</summary>
    /// <returns>Place of the first in the order in which they were taken; the others follow it.</returns>
    public ulong Add(int messages, long bytes)
    {
        ulong first = _ordinal + 1;
        _ordinal += (ulong)messages;
        Messages += messages;
        Bytes += bytes;
        return first;
    }

    /// <summary>Messages are stable.</summary>
    public void Remove(int messages, long bytes)
    {
        Messages -= messages;
        Bytes -= bytes;
    }

    /// <summary>Tells who has waited for messages that are stable, a number of them from an ordinal on; they count no more.</summary>
    public readonly void TellFlushes(ulong firstOrdinal, int count, Instant now) => _flushes?.OnStable(firstOrdinal, count, now);

    /// <summary>Tells when everything that is pending now is stable; at once when nothing is.</summary>
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
