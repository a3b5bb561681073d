using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Timed;

/// <summary>
/// The trains of one datagram to one region view, handed out one by one; and a copy for one member that asked for it.
/// </summary>
/// <param name="context">The node's shared state.</param>
internal sealed class TimedTrains(TimedContext context)
{
    private readonly List<Train> _trains = [];
    private int _next;

    /// <summary>Begins with a datagram, whose memory stays as it is until the last train.</summary>
    public void Start(RegionView view, ReadOnlyMemory<byte> datagram, NodeInfo? alsoTo)
    {
        _trains.Clear();
        _next = 0;
        context.Mode.Casts.AddTrains(view, context.Mode.SelfKey, datagram, datagram.Length, _trains);
        if (alsoTo is not { IsRemoved: false }) return;
        foreach (Train train in _trains)
        {
            if (train.Route == TrainRoute.Unicast && train.To == alsoTo.Data) return;
        }
        Add(alsoTo, datagram);
    }

    /// <summary>Begins with a datagram for one node.</summary>
    public void Start(NodeInfo to, ReadOnlyMemory<byte> datagram)
    {
        _trains.Clear();
        _next = 0;
        Add(to, datagram);
    }

    /// <summary>Forgets the trains that remain.</summary>
    public void Stop() => _next = _trains.Count;

    /// <summary>The next train; false when there is none.</summary>
    public bool TryNext(out Train train)
    {
        bool has = _next < _trains.Count;
        train = has ? _trains[_next++] : default;
        return has;
    }

    private void Add(NodeInfo to, ReadOnlyMemory<byte> datagram) =>
        _trains.Add(new Train(datagram, datagram.Length, TrainRoute.Unicast, to.Data, null));
}
