using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// The holes of a link's receiving end, ascending, and when each is asked for: once the highest number is three above
/// it or after a short wait, then each round trip. Bounded by the receive window. Allocates only to grow.
/// <para>
/// Where packets overtake each other, a hole waits as long as the latest of them took, at most a round trip. A packet
/// is known to be late, not lost, when it comes sooner than an answer to the request could. Each packet that was lost
/// shortens the wait by a sixteenth. Source: RACK (RFC 8985), with measured lateness for its steps.
/// </para>
/// </summary>
internal sealed class LinkHoles(LinkSettings settings, LinkRoundTrip roundTrip)
{
    private const int Shortening = 16;

    private readonly List<Hole> _holes = [];

    /// <summary>How many there are.</summary>
    public int Count => _holes.Count;

    /// <summary>The lowest; 0 when there is none.</summary>
    public ulong First => _holes.Count == 0 ? 0 : _holes[0].Number;

    /// <summary>How long a hole waits for packets that are only late; zero until one was.</summary>
    public TimeSpan Lateness { get; private set; }

    /// <summary>The highest number whose parity has come; 0 while the other end sends none. A hole above it waits for
    /// the parity, twice as long as the other end takes to send it.</summary>
    public ulong ParityTo { get; set; }

    private TimeSpan Delay => roundTrip.ShortWait(settings.GapDelay);

    /// <summary>Forgets all.</summary>
    public void Clear()
    {
        _holes.Clear();
        ParityTo = 0;
        Lateness = TimeSpan.Zero;
    }

    /// <summary>Numbers have been passed over.</summary>
    /// <param name="from">The first of them, above all holes.</param>
    /// <param name="end">The number after the last.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="areDue">True when they are asked for without a wait.</param>
    public void Open(ulong from, ulong end, Instant now, bool areDue)
    {
        Debug.Assert(_holes.Count == 0 || _holes[^1].Number < from, "holes open in ascending order");
        for (ulong number = from; number < end; number++) _holes.Add(new Hole(number, now, areDue));
    }

    /// <summary>Numbers were sent, and may be a little behind: they are asked for after a short wait.</summary>
    /// <param name="from">The first of them, above all holes.</param>
    /// <param name="end">The number after the last.</param>
    /// <param name="now">The present instant.</param>
    public void OpenBehind(ulong from, ulong end, Instant now) =>
        Open(from, end, now + Max(Delay, Lateness), areDue: true);

    /// <summary>A missing number has come.</summary>
    /// <returns>False when it was not missing.</returns>
    public bool Close(ulong number, Instant now)
    {
        int at = Find(number);
        if (at < 0) return false;
        Learn(_holes[at], now);
        _holes.RemoveAt(at);
        return true;
    }

    /// <summary>True when a number is missing.</summary>
    public bool Contains(ulong number) => Find(number) >= 0;

    /// <summary>A missing number was rebuilt. That says nothing of how late packets come.</summary>
    /// <returns>True when it was asked for.</returns>
    public bool Fill(ulong number)
    {
        int at = Find(number);
        Debug.Assert(at >= 0, "what is rebuilt was missing");
        bool wasAsked = _holes[at].Nacks > 0;
        _holes.RemoveAt(at);
        return wasAsked;
    }

    /// <summary>Asks for all that is due.</summary>
    /// <param name="highest">The highest number that has come.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="ranges">Receives what is asked for.</param>
    /// <param name="asked">How many numbers that are.</param>
    /// <returns>How many ranges were written.</returns>
    public int TakeDue(ulong highest, Instant now, Span<SequenceRange> ranges, out int asked)
    {
        int count = 0;
        asked = 0;
        Span<Hole> holes = System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_holes);
        for (int index = 0; index < holes.Length; index++)
        {
            ref Hole hole = ref holes[index];
            if (DueOf(hole, highest) > now) continue;
            bool joins = count > 0 && ranges[count - 1].End == hole.Number;
            if (!joins && count == ranges.Length) break;
            if (joins) ranges[count - 1] = new SequenceRange(ranges[count - 1].Start, hole.Number + 1);
            else ranges[count++] = new SequenceRange(hole.Number, hole.Number + 1);
            hole.Nacks++;
            hole.LastNack = now;
            asked++;
        }
        return count;
    }

    /// <summary>When the first is due.</summary>
    public Instant NextDue(ulong highest)
    {
        Instant next = Instant.Never;
        foreach (Hole hole in _holes)
        {
            Instant due = DueOf(hole, highest);
            if (due < next) next = due;
        }
        return next;
    }

    /// <summary>True when some packet was asked for so often, and for so long, that the link has failed.</summary>
    public bool HaveFailed(Instant now)
    {
        TimeSpan time = Max(settings.NackTime, roundTrip.Smoothed * 8);
        foreach (Hole hole in _holes)
        {
            if (hole.Nacks >= settings.MostNacks && now - hole.Since >= time) return true;
        }
        return false;
    }

    private Instant DueOf(in Hole hole, ulong highest)
    {
        if (hole.Nacks > 0) return hole.LastNack + roundTrip.Patience;
        if (hole.IsDue) return hole.Since;
        if (AwaitsParity(hole.Number)) return hole.Since + Max(Delay * 2, Lateness);
        bool isFar = highest - hole.Number >= (ulong)settings.GapPackets;
        return hole.Since + (isFar ? Lateness : Max(Delay, Lateness));
    }

    // Before the first parity comes, an end that sends some expects as much of the other.
    private bool AwaitsParity(ulong number) =>
        number > ParityTo && (ParityTo > 0 || number <= (ulong)settings.ParityEvery);

    private void Learn(in Hole hole, Instant now)
    {
        bool isAnswer = hole.Nacks > 1 || (hole.Nacks == 1 && now - hole.LastNack >= roundTrip.Least);
        if (isAnswer) Lateness -= Lateness / Shortening;
        else Lateness = Max(Lateness, Min(now - hole.Since, roundTrip.Smoothed));
    }

    private int Find(ulong number)
    {
        int low = 0, high = _holes.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) / 2;
            ulong found = _holes[middle].Number;
            if (found == number) return middle;
            if (found < number) low = middle + 1;
            else high = middle - 1;
        }
        return -1;
    }

    private static TimeSpan Max(TimeSpan left, TimeSpan right) => left > right ? left : right;

    private static TimeSpan Min(TimeSpan left, TimeSpan right) => left < right ? left : right;
}
