using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Sites;

/// <summary>One direction of a link between sites: loss, then a narrow place with a queue, then the delay.</summary>
/// <param name="model">What it is like.</param>
/// <param name="events">The events to come.</param>
/// <param name="random">Decides what is lost, and how long it takes.</param>
/// <param name="from">Index of the site that sends.</param>
/// <param name="to">Index of the site that receives.</param>
internal sealed class SimulatedWay(WayModel model, EventQueue events, SimulationRandom random, int from, int to)
{
    private static readonly TimeSpan LatestDuplicate = TimeSpan.FromSeconds(1);

    private Instant _free;
    private Instant _badFrom = Instant.Never;
    private Instant _badUntil;
    private ulong _sent;
    private ulong _bursts;
    private Instant _taken;
    private ulong _turns;

    /// <summary>True while nothing passes.</summary>
    public bool IsCut { get; set; }

    /// <summary>Bytes that went in, those of the network's own headers included.</summary>
    public ulong Bytes { get; private set; }

    /// <summary>Index of the site that sends.</summary>
    public int From => from;

    /// <summary>Sends a datagram.</summary>
    /// <param name="receiver">Gets it as its argument, and the sending site as its number.</param>
    /// <param name="datagram">Copied.</param>
    public void Send(IEventTarget receiver, ReadOnlySpan<byte> datagram)
    {
        Instant now = events.Now;
        ulong ordinal = _sent++;
        Bytes += (ulong)(datagram.Length + model.Overhead);
        if (IsCut || IsBad(now) || Unit(RandomStream.Loss, ordinal) < model.Loss) return;
        TimeSpan takes = TimeSpan.FromSeconds((datagram.Length + model.Overhead) / model.Rate);
        Instant start = _free > now ? _free : now;
        if ((start - now).TotalSeconds * model.Rate > model.Queue) return;
        _free = start + takes;
        Instant due = _free + model.Delay + (model.Jitter * Unit(RandomStream.Delay, ordinal));
        if (model.TakenEvery > TimeSpan.Zero) due = NextTaken(due);
        byte[] bytes = datagram.ToArray();
        events.Schedule(due, receiver, bytes, from);
        double second = Unit(RandomStream.Duplication, ordinal);
        if (second < model.Duplicates)
            events.Schedule(due + (LatestDuplicate * (second / model.Duplicates)), receiver, bytes, from);
    }

    // The turns of the receiver are as long as they happen to be, up to twice the mean.
    private Instant NextTaken(Instant due)
    {
        while (_taken < due) _taken += model.TakenEvery * (2 * Unit(RandomStream.Processor, _turns++));
        return _taken;
    }

    private bool IsBad(Instant now)
    {
        if (model.BurstEvery == TimeSpan.Zero) return false;
        if (_badFrom == Instant.Never) DrawBurst(now);
        while (now >= _badUntil) DrawBurst(_badUntil);
        return now >= _badFrom;
    }

    private void DrawBurst(Instant after)
    {
        double unit = Unit(RandomStream.Bursts, _bursts++);
        _badFrom = after + (model.BurstEvery * (0.5 + unit));
        _badUntil = _badFrom + model.BurstLength;
    }

    private double Unit(RandomStream stream, ulong ordinal) =>
        random.DrawUnit(stream, (ulong)from, (ulong)to, ordinal);
}
