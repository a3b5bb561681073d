using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Network;

/// <summary>
/// Loss in bursts, after Gilbert and Elliott: each way is good or bad for exponentially distributed times, and loses
/// only while it is bad. The states are drawn by their ordinal, not by the traffic, so when a way is bad does not
/// depend on what is sent. Ways that share a cause share a state: all those of one sender, or all those to one
/// receiver.
/// </summary>
/// <param name="random">Decides.</param>
/// <param name="scope">Which ways share a state.</param>
/// <param name="good">Mean time of a good state.</param>
/// <param name="bad">Mean time of a bad state.</param>
/// <param name="loss">Loss in a bad state, 0 to 1.</param>
/// <param name="began">When the fault began; every way is good then.</param>
internal sealed class BurstyLoss(
    SimulationRandom random, LossScope scope, TimeSpan good, TimeSpan bad, double loss, Instant began) : IDisturbance
{
    private readonly Dictionary<(int From, int To), Way> _ways = [];

    /// <inheritdoc/>
    public bool Drops(int from, int to, ulong ordinal, DatagramKind kind, Instant now)
    {
        (int From, int To) key = scope switch
        {
            LossScope.Sender => (from, -1),
            LossScope.Receiver => (-1, to),
            _ => (from, to),
        };
        Way way = _ways.TryGetValue(key, out Way known) ? known : Next(key, new Way(began, IsBad: true, 0));
        while (way.Until <= now) way = Next(key, way);
        _ways[key] = way;
        return way.IsBad && random.DrawUnit(RandomStream.Faults, (ulong)from, (ulong)to, ~ordinal) < loss;
    }

    private Way Next((int From, int To) key, Way way)
    {
        double unit = random.DrawUnit(RandomStream.Bursts, (ulong)(uint)key.From, (ulong)(uint)key.To, way.Changes);
        TimeSpan mean = way.IsBad ? good : bad;
        return new Way(
            way.Until + new TimeSpan(1 + (long)(mean.Ticks * -Math.Log(1 - unit))), !way.IsBad, way.Changes + 1);
    }

    private readonly record struct Way(Instant Until, bool IsBad, ulong Changes);
}
