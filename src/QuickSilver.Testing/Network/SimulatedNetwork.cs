using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Scheduling;
using QuickSilver.Transport.Sharing;

namespace QuickSilver.Testing.Network;

/// <summary>
/// Carries datagrams between the nodes' sockets. For each datagram and receiver it decides, by counter-based draws,
/// whether the copy is lost, when it arrives, whether it comes twice, and whether it is damaged. What differs from a
/// real network: one switch, no route changes; cuts act on what is sent after them, what is under way arrives. Cost:
/// one event per copy that arrives.
/// </summary>
internal sealed class SimulatedNetwork
{
    private const double LongestJitter = 10;

    private readonly EventQueue _events;
    private readonly SimulationRandom _random;
    private readonly Dictionary<NetEndpoint, SimulatedSocket> _unicast = [];
    private readonly Dictionary<NetEndpoint, List<SimulatedSocket>> _groups = [];
    private readonly LinkModel[,]? _links;
    private readonly long[,] _lastArrival;
    private readonly ulong[] _sent;
    private readonly HashSet<uint> _ended = [];
    private Datagram? _previous;

    /// <summary>Makes a network without sockets.</summary>
    /// <param name="model">What it does.</param>
    /// <param name="nodes">How many nodes there can be.</param>
    /// <param name="events">Where arrivals are scheduled.</param>
    /// <param name="random">Decides.</param>
    /// <param name="observer">Sees what is sent and read.</param>
    public SimulatedNetwork(
        NetworkModel model, int nodes, EventQueue events, SimulationRandom random, INetworkObserver observer)
    {
        Model = model;
        Observer = observer;
        _events = events;
        _random = random;
        _lastArrival = new long[nodes, nodes];
        _sent = new ulong[nodes];
        Segments = new PlainSegments(
            process => !_ended.Contains(process), () => events.Now.Ticks / TimeSpan.TicksPerMillisecond);
        if (model.Overrides.Count > 0) _links = ResolveLinks(model, nodes);
    }

    /// <summary>What the network does.</summary>
    public NetworkModel Model { get; }

    /// <summary>Sees what is sent and read.</summary>
    public INetworkObserver Observer { get; }

    /// <summary>May add to what is sent; null: nobody does.</summary>
    public ITrafficTap? Tap { get; set; }

    /// <summary>What the nodes lend each other, where they do.</summary>
    public PlainSegments Segments { get; }

    /// <summary>What is sealed in the datagram that is sent next, and the hash of its gate.</summary>
    public (byte[]? Plain, SipHash Gate) Sealed { get; set; }

    /// <summary>What is wrong with it now.</summary>
    public NetworkConditions Conditions { get; } = new();

    /// <summary>Memory of datagrams.</summary>
    public DatagramPool Pool { get; } = new();

    /// <summary>Counts of what happened to copies.</summary>
    public NetworkCounters Counters { get; } = new();

    /// <summary>A node's process has ended: what it held of others' memory, it holds no more.</summary>
    public void EndProcess(int node) => _ended.Add((uint)node);

    /// <summary>Makes a unicast socket reachable.</summary>
    public void Bind(NetEndpoint endpoint, SimulatedSocket socket) => _unicast.Add(endpoint, socket);

    /// <summary>Undoes <see cref="Bind"/>.</summary>
    public void Unbind(NetEndpoint endpoint) => _unicast.Remove(endpoint);

    /// <summary>The socket that receives at an endpoint now; null when none does.</summary>
    public SimulatedSocket? FindBound(NetEndpoint endpoint) => _unicast.GetValueOrDefault(endpoint);

    /// <summary>The socket with which a machine receives a group's address now; null when it does not.</summary>
    public SimulatedSocket? FindMember(NetEndpoint group, int machine) =>
        _groups.GetValueOrDefault(group)?.Find(socket => socket.Machine == machine);

    /// <summary>Lets a socket receive what is sent to an address, after the model's delay.</summary>
    public void Join(NetEndpoint group, SimulatedSocket socket, Instant now)
    {
        socket.ReceivesFrom = now + Model.MulticastJoinDelay;
        if (!_groups.TryGetValue(group, out List<SimulatedSocket>? members)) _groups.Add(group, members = []);
        members.Add(socket);
    }

    /// <summary>Undoes <see cref="Join"/>, at once.</summary>
    public void Leave(NetEndpoint group, SimulatedSocket socket)
    {
        if (!_groups.TryGetValue(group, out List<SimulatedSocket>? members)) return;
        members.Remove(socket);
        if (members.Count == 0) _groups.Remove(group);
    }

    /// <summary>Sends one datagram to one endpoint.</summary>
    /// <param name="from">Index of the sending node.</param>
    /// <param name="source">The endpoint that it is sent from.</param>
    /// <param name="to">The endpoint; where nobody listens, the datagram vanishes.</param>
    /// <param name="bytes">The datagram.</param>
    /// <param name="departure">When its last bit has left the sender's interface.</param>
    public void SendTo(int from, NetEndpoint source, NetEndpoint to, ReadOnlySpan<byte> bytes, Instant departure)
    {
        ulong ordinal = _sent[from]++;
        if (!_unicast.TryGetValue(to, out SimulatedSocket? socket) || bytes.Length > Model.MaxDatagramBytes)
        {
            Counters.Vanished++;
            return;
        }
        Datagram datagram = Pool.Rent(bytes, from, source);
        (datagram.Plain, datagram.Gate) = Sealed;
        Pass(datagram, from, socket, ordinal, departure, multicast: false);
        Remember(datagram);
    }

    /// <summary>Sends one datagram to all who receive an address.</summary>
    /// <inheritdoc cref="SendTo"/>
    public void SendToGroup(
        int from, NetEndpoint source, NetEndpoint group, ReadOnlySpan<byte> bytes, Instant departure)
    {
        ulong ordinal = _sent[from]++;
        if (!_groups.TryGetValue(group, out List<SimulatedSocket>? members) || bytes.Length > Model.MaxDatagramBytes)
        {
            Counters.Vanished++;
            return;
        }
        Datagram datagram = Pool.Rent(bytes, from, source);
        (datagram.Plain, datagram.Gate) = Sealed;
        foreach (SimulatedSocket socket in members)
        {
            if (socket.Machine != from || Model.MulticastLoopback)
                Pass(datagram, from, socket, ordinal, departure, multicast: true);
        }
        Remember(datagram);
    }

    private int LongestOf(int machine) => machine < Model.Interfaces.Count ? Model.Interfaces[machine] : int.MaxValue;

    private static LinkModel[,] ResolveLinks(NetworkModel model, int nodes)
    {
        var links = new LinkModel[nodes, nodes];
        for (int from = 0; from < nodes; from++)
        {
            for (int to = 0; to < nodes; to++)
            {
                links[from, to] = model.Link;
                foreach (LinkOverride entry in model.Overrides)
                {
                    if ((entry.From ?? from) == from && (entry.To ?? to) == to) links[from, to] = entry.Model;
                }
            }
        }
        return links;
    }

    private void Remember(Datagram datagram)
    {
        if (_previous is not null) Pool.Release(_previous);
        _previous = datagram;
    }

    private void Pass(
        Datagram datagram, int from, SimulatedSocket socket, ulong ordinal, Instant departure, bool multicast)
    {
        int to = socket.Machine;
        Counters.Copies++;
        if (from == to)
        {
            datagram.Retain();
            _events.Schedule(departure, socket, datagram);
            return;
        }
        // What interfaces take is counted without what sealing adds, as nodes do.
        int added = datagram.Plain is { } plain ? datagram.Length - plain.Length : 0;
        if (datagram.Length - added > Math.Min(LongestOf(from), LongestOf(to)))
        {
            Counters.Blocked++;
            CountTrouble(datagram);
            return;
        }
        LinkModel link = _links is null ? Model.Link : _links[from, to];
        if (Conditions.Any && IsLostToConditions(datagram, from, to, ordinal, departure, multicast)) return;
        if (link.Loss > 0 && _random.DrawUnit(RandomStream.Loss, (ulong)from, (ulong)to, ordinal) < link.Loss)
        {
            Counters.Lost++;
            CountTrouble(datagram);
            return;
        }

        ulong bits = _random.Draw(RandomStream.Delay, (ulong)from, (ulong)to, ordinal);
        long jitter = JitterTicks(link, bits);
        long arrival = Math.Max(departure.Ticks + link.Delay.Ticks + jitter, _lastArrival[from, to] + 1);
        bool heldBack = link.Reordering > 0
            && _random.DrawUnit(RandomStream.Delay, (ulong)from, (ulong)to, ~ordinal) < link.Reordering;
        TimeSpan delay = Conditions.Any ? Conditions.DelayOf(from, to, KindOf(datagram)) : default;
        if (delay > TimeSpan.Zero)
        {
            Counters.HeldBack++;
            arrival += delay.Ticks;
        }
        else if (heldBack)
        {
            Counters.HeldBack++;
            CountTrouble(datagram);
            arrival += 1 + (long)(SeededRandom.Mix(bits) % (ulong)Math.Max(1, link.ReorderDelay.Ticks));
        }
        else
        {
            _lastArrival[from, to] = arrival;
        }
        ScheduleArrival(datagram, link, from, socket, ordinal, new Instant(arrival));
        if (Tap is not null) AddForgery(datagram, from, socket, arrival);
        if (Conditions.Any && Conditions.Forgeries.Count > 0)
            AddStrangers(datagram, from, socket, ordinal, departure, arrival);

        if (link.Duplication > 0
            && _random.DrawUnit(RandomStream.Duplication, (ulong)from, (ulong)to, ordinal) < link.Duplication)
        {
            Counters.Duplicated++;
            ulong bound = (ulong)Math.Max(1, link.ReorderDelay.Ticks);
            long later = 1 + (long)(_random.Draw(RandomStream.Duplication, (ulong)from, (ulong)to, ~ordinal) % bound);
            ScheduleArrival(datagram, link, from, socket, ~ordinal, new Instant(arrival + later));
        }
        if (Conditions.Any && Conditions.Late.Count > 0) DuplicateLate(datagram, from, socket, ordinal, arrival);
    }

    private void AddForgery(Datagram datagram, int from, SimulatedSocket socket, long arrival)
    {
        ReadOnlySpan<byte> forged = Tap!.Forge(datagram.Span);
        if (!forged.IsEmpty)
            _events.Schedule(new Instant(arrival + 1), socket, Pool.Rent(forged, from, datagram.From, damaged: true));
    }

    // Just before the real one, or after it.
    private void AddStrangers(
        Datagram datagram, int from, SimulatedSocket socket, ulong ordinal, Instant departure, long arrival)
    {
        foreach (ForgedSource fault in Conditions.Forgeries)
        {
            ulong bits = _random.Draw(
                RandomStream.Corruption, (ulong)from, (ulong)socket.Machine, ordinal + (3UL << 61));
            if (SimulationRandom.ToUnit(bits) >= fault.Probability) continue;
            bits = SeededRandom.Mix(bits);
            if (Forgery.Make(Pool, datagram, socket.Role, bits) is not { } forged) continue;
            Counters.Forged++;
            long at = (bits & 1) == 0 ? arrival + 1 : Math.Max(departure.Ticks, arrival - 1);
            _events.Schedule(new Instant(at), socket, forged);
        }
    }

    // Comes on top of all else, unharmed: an old datagram, byte for byte, in another time.
    private void DuplicateLate(Datagram datagram, int from, SimulatedSocket socket, ulong ordinal, long arrival)
    {
        foreach (LateDuplicates fault in Conditions.Late)
        {
            ulong bits = _random.Draw(
                RandomStream.Duplication, (ulong)from, (ulong)socket.Machine, ordinal + (1UL << 62));
            if (SimulationRandom.ToUnit(bits) >= fault.Probability) continue;
            Counters.Duplicated++;
            datagram.Retain();
            _events.Schedule(
                new Instant(arrival + (long)(SeededRandom.Mix(bits) % (ulong)(1 + fault.MaxDelay.Ticks))), socket,
                datagram);
        }
    }

    /// <summary>A copy will not arrive, or not in time, or not as it was sent.</summary>
    public void CountTrouble(Datagram datagram)
    {
        DatagramKind kind = KindOf(datagram);
        if (DatagramKinds.CarriesPacket(kind) || kind is DatagramKind.RepairPart or DatagramKind.Hybrid)
            Counters.PacketBytesTroubled += datagram.Length;
    }

    private static DatagramKind KindOf(Datagram datagram) => datagram.Length > DatagramHeader.KindOffset
        ? (DatagramKind)(datagram.Span[DatagramHeader.KindOffset] & ~DatagramKinds.IgnorableBit)
        : DatagramKind.None;

    private bool IsLostToConditions(
        Datagram datagram, int from, int to, ulong ordinal, Instant departure, bool multicast)
    {
        if (Conditions.Blocks(from, to, multicast) || Conditions.IsTooLong(from, to, datagram.Length))
        {
            Counters.Blocked++;
            CountTrouble(datagram);
            return true;
        }
        double loss = Conditions.LossOn(from, to);
        bool lost = loss > 0 && _random.DrawUnit(RandomStream.Faults, (ulong)from, (ulong)to, ordinal) < loss;
        if (!lost && !Conditions.Drops(from, to, ordinal, KindOf(datagram), departure)) return false;
        Counters.Lost++;
        CountTrouble(datagram);
        return true;
    }

    private void ScheduleArrival(
        Datagram datagram, LinkModel link, int from, SimulatedSocket socket, ulong ordinal, Instant arrival)
    {
        int to = socket.Machine;
        double corruption = link.Corruption;
        if (Conditions.Any) corruption = 1 - ((1 - corruption) * (1 - Conditions.CorruptionOn(from, to)));
        if (corruption > 0 && _random.DrawUnit(RandomStream.Corruption, (ulong)from, (ulong)to, ordinal) < corruption)
        {
            Counters.Damaged++;
            CountTrouble(datagram);
            ulong bits = _random.Draw(RandomStream.Corruption, (ulong)from, (ulong)to, ordinal + (1UL << 62));
            _events.Schedule(arrival, socket, Damage.Copy(Pool, datagram, _previous, bits));
            return;
        }
        datagram.Retain();
        _events.Schedule(arrival, socket, datagram);
    }

    private static long JitterTicks(LinkModel link, ulong bits)
    {
        if (link.Jitter <= TimeSpan.Zero) return 0;
        double means = -Math.Log(1 - SimulationRandom.ToUnit(bits));
        return (long)(link.Jitter.Ticks * Math.Min(means, LongestJitter));
    }
}
