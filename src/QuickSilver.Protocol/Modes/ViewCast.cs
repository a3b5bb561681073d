using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Modes;

/// <summary>
/// The trains of datagrams to region views, handed out one by one; and a copy for one member that asked for it. The
/// memory of a datagram stays as it is until its last train.
/// </summary>
/// <param name="mode">What the stack gives an engine.</param>
internal sealed class ViewCast(ModeContext mode)
{
    private readonly List<Train> _trains = [];
    private int _next;

    /// <summary>True while trains remain.</summary>
    public bool IsUnderWay => _next < _trains.Count;

    /// <summary>Begins with a datagram to a view.</summary>
    public void Start(RegionView view, ReadOnlyMemory<byte> datagram, NodeInfo? alsoTo)
    {
        Stop();
        Add(view, datagram);
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
        Stop();
        Add(to, datagram);
    }

    /// <summary>Adds a datagram to a view.</summary>
    public void Add(RegionView view, ReadOnlyMemory<byte> datagram) => Add(view, datagram, datagram.Length);

    /// <summary>Adds datagrams to a view: all but the last as long as <paramref name="segment"/> says.</summary>
    public void Add(RegionView view, ReadOnlyMemory<byte> datagrams, int segment) =>
        mode.Casts.AddTrains(view, mode.SelfKey, datagrams, segment, _trains);

    /// <summary>Adds a train.</summary>
    public void Add(in Train train) => _trains.Add(train);

    /// <summary>Forgets the trains that remain.</summary>
    public void Stop()
    {
        _trains.Clear();
        _next = 0;
    }

    /// <summary>The next train; false when there is none.</summary>
    public bool TryNext(out Train train)
    {
        bool has = IsUnderWay;
        train = has ? _trains[_next++] : default;
        if (!has) Stop();
        return has;
    }

    private void Add(NodeInfo to, ReadOnlyMemory<byte> datagram) =>
        _trains.Add(new Train(datagram, datagram.Length, TrainRoute.Unicast, to.Data, null));
}
