using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Simulation.Tests.Network;

/// <summary>A network with transports and nothing behind them, driven by hand.</summary>
internal sealed class NetworkBench : INetworkObserver
{
    public NetworkBench(NetworkModel model, int nodes = 3, ulong seed = 1)
    {
        var random = new SimulationRandom(seed);
        Events = new EventQueue(Clock, random);
        Network = new SimulatedNetwork(model, nodes, Events, random, this);
        Transports = [
            .. Enumerable.Range(0, nodes).Select(node => new SimulatedTransport(Network, node, Clock, _ => { }))];
    }

    public VirtualClock Clock { get; } = new();

    public EventQueue Events { get; }

    public SimulatedNetwork Network { get; }

    public SimulatedTransport[] Transports { get; }

    public List<(int Node, byte[] Bytes)> Read { get; } = [];

    public void RunTo(TimeSpan time)
    {
        Instant until = Instant.Zero + time;
        while (Events.RunNext(until)) { }
        Clock.MoveTo(until);
    }

    public void RunAll()
    {
        while (Events.RunNext(Instant.Never)) { }
        // The last arrival still has to pass the switch port.
        Clock.MoveTo(Clock.Now + TimeSpan.FromSeconds(1));
    }

    /// <summary>Sends numbered datagrams: the first four bytes of each are its number.</summary>
    public SendOutcome Unicast(int from, int to, int count = 1, int bytes = 100, int first = 0)
    {
        byte[] train = Numbered(count, bytes, first);
        return Transports[from].Send(new Train(train, bytes, TrainRoute.Unicast, Transports[to].Facts.Data, null));
    }

    public SendOutcome Multicast(int from, IRegionChannel channel, int count = 1, int bytes = 100, int first = 0)
    {
        byte[] train = Numbered(count, bytes, first);
        return Transports[from].Send(new Train(train, bytes, TrainRoute.Region, default, channel));
    }

    /// <summary>Everything a node can read now, as one array per read.</summary>
    public List<byte[]> TakeReads(int node)
    {
        var batch = new List<Completion>();
        Transports[node].Take(batch, int.MaxValue);
        var reads = batch.Where(completion => !completion.IsDrained).Select(completion => completion.Span.ToArray())
            .ToList();
        foreach (Completion completion in batch) Transports[node].Recycle(completion);
        return reads;
    }

    /// <summary>The numbers of the datagrams that a node can read now.</summary>
    public List<int> TakeNumbers(int node)
    {
        int before = Read.Count;
        TakeReads(node);
        return [.. Read.Skip(before).Where(read => read.Node == node).Select(read => BitConverter.ToInt32(read.Bytes))];
    }

    public void OnSent(int node, ReadOnlySpan<byte> datagram, NetEndpoint to, Instant now)
    {
    }

    public void OnRead(int node, ReadOnlySpan<byte> datagram, bool damaged, Instant now) =>
        Read.Add((node, datagram.ToArray()));

    private static byte[] Numbered(int count, int bytes, int first)
    {
        byte[] train = new byte[count * bytes];
        for (int index = 0; index < count; index++)
            BitConverter.TryWriteBytes(train.AsSpan(index * bytes), first + index);
        return train;
    }
}
