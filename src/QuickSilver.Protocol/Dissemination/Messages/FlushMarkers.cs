using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// The callers that wait until everything that a group had sent before a moment is stable. Each marker counts down the
/// messages that were pending then. Ordinals tell these from later ones, as messages become stable in any order. Costs
/// nothing per message while nobody waits.
/// </summary>
internal sealed class FlushMarkers(SendContext context)
{
    private readonly List<Marker> _markers = [];

    /// <summary>
    /// Adds a marker behind the <paramref name="pending"/> messages (more than 0) with ordinals up to
    /// <paramref name="ordinal"/>.
    /// </summary>
    public void Add(ulong ordinal, long pending, Action<Instant> flushed)
    {
        _markers.Add(new Marker(ordinal, pending, flushed));
        context.FlushesWaiting++;
    }

    /// <summary>Counts a number of messages, taken one after the other, as stable.</summary>
    public void OnStable(ulong firstOrdinal, int count, Instant now)
    {
        bool reached = false;
        for (int index = 0; index < _markers.Count; index++)
        {
            Marker marker = _markers[index];
            if (firstOrdinal > marker.Ordinal) continue;
            long remaining = marker.Pending - (long)Math.Min((ulong)count, marker.Ordinal - firstOrdinal + 1);
            _markers[index] = marker with { Pending = remaining };
            reached |= remaining == 0;
        }
        while (reached)
        {
            // Searched again after each: the callback may add a marker.
            int index = _markers.FindIndex(static marker => marker.Pending == 0);
            if (index < 0) return;
            Action<Instant> flushed = _markers[index].Flushed;
            _markers.RemoveAt(index);
            context.FlushesWaiting--;
            flushed(now);
        }
    }

    private readonly record struct Marker(ulong Ordinal, long Pending, Action<Instant> Flushed);
}
