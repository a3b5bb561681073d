using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// Who waits until everything that a group had sent before a moment is stable. Each marker counts down the messages
/// that were pending then, told apart from later ones by their ordinal: messages become stable in any order. Costs
/// nothing per message while nobody waits.
/// </summary>
internal sealed class FlushMarkers(SendContext context)
{
    private readonly List<Marker> _markers = [];

    /// <summary>Adds a marker behind the <paramref name="pending"/> messages (more than 0) with ordinals up to
    /// <paramref name="ordinal"/>.</summary>
    public void Add(ulong ordinal, long pending, Action<Instant> flushed)
    {
        _markers.Add(new Marker(ordinal, pending, flushed));
        context.FlushesWaiting++;
    }

    /// <summary>Messages are stable: a number of them, taken one after the other.</summary>
    public void OnStable(ulong firstOrdinal, int count, Instant now)
    {
        bool reached = false;
        for (int index = 0; index < _markers.Count; index++)
        {
            Marker marker = _markers[index];
            if (firstOrdinal > marker.Ordinal) continue;
            long left = marker.Pending - (long)Math.Min((ulong)count, marker.Ordinal - firstOrdinal + 1);
            _markers[index] = marker with { Pending = left };
            reached |= left == 0;
        }
        while (reached)
        {
            // Anew after each: the one that is told may add a marker.
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
