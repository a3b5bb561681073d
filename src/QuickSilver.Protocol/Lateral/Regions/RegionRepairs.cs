using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral.Regions;

/// <summary>
/// Lateral repair of reliable groups: members of a region view send each other combinations of its packets.
/// <para>
/// Idea: all members of a region view get the same packets, of all senders and all groups. So a view has one bin for
/// each other member, which takes every packet. What a combination gives enters recovery as a peer's repair does: the
/// ring does not ask for it any more, and counts it as held. The ring and the requests go on as without it.
/// </para>
/// <para>
/// Awkward cases: known packets come from what recovery keeps, so a repair that names a released one cannot be used.
/// All combinations are dropped when a node is removed: what they hold may be of its packets, which only the ring
/// settles. Packets of removed senders are not taken from combinations. A node without the setting takes repairs, and
/// sends none.
/// </para>
/// O(members) a packet. Core thread only. Source: Ricochet, section 3; under a ring it is ours.
/// </summary>
internal sealed class RegionRepairs
{
    /// <summary>Bytes that senders leave free in their datagrams, so that repairs have room for names.</summary>
    public const int Room = 128;

    private static readonly LateralLimits Limits = new() { FlushAfter = TimeSpan.FromMilliseconds(5) };

    private readonly Recoverer _node;
    private readonly Equations _equations = new();
    private readonly List<(RegionRepairSettings Settings, int Count)> _sessions = [];
    private readonly byte[] _block = new byte[RegionBlock.MaxLength];
    private readonly byte[] _datagram = new byte[DatagramHeader.Length + RegionBlock.MaxLength];
    private RegionRepairing? _repairing;

    public RegionRepairs(Recoverer node) => _node = node;

    public RegionRepairCounters Counters { get; } = new();

    /// <summary>True while a group of this node has the setting.</summary>
    public bool IsOn => _sessions.Count > 0;

    /// <summary>Combinations that wait for more.</summary>
    public int Unsolved => _equations.Count;

    /// <summary>A session in a reliable group begins with the setting. Counts from <see cref="Rebuild"/> on.</summary>
    public void OnOpened(RegionRepairSettings settings)
    {
        _repairing ??= new RegionRepairing(_node, Counters, Limits);
        int index = Find(settings);
        if (index < 0) _sessions.Add((settings, 1));
        else _sessions[index] = (settings, _sessions[index].Count + 1);
    }

    /// <summary>Such a session has ended. Counts from <see cref="Rebuild"/> on.</summary>
    public void OnClosed(RegionRepairSettings settings)
    {
        int index = Find(settings);
        int left = _sessions[index].Count - 1;
        if (left == 0) _sessions.RemoveAt(index);
        else _sessions[index] = (settings, left);
    }

    /// <summary>A step is installed.</summary>
    public void Rebuild()
    {
        if (_repairing is null) return;
        RegionRecovery? region = null;
        int packets = RegionRepairBody.MaxPackets;
        double rate = 0;
        foreach ((RegionRepairSettings settings, _) in _sessions)
        {
            packets = Math.Min(packets, settings.PacketsPerRepair);
            rate = Math.Max(rate, settings.RepairsPerPacket);
        }
        if (IsOn && _node.Cluster.Own is { } own) region = _node.Find(own.Number.Tag, own.Number.Counter);
        _repairing.Rebuild(region, packets, rate);
    }

    /// <summary>Nodes are gone from the cluster.</summary>
    public void OnNodesRemoved()
    {
        _equations.Clear();
        Rebuild();
    }

    /// <summary>A packet is here for the first time, and kept.</summary>
    public void OnKept(RegionRecovery region, ulong sender, ulong sequence, in Slice datagram, Instant now)
    {
        bool isRepaired = _repairing?.Region == region;
        if (!isRepaired && _equations.Count == 0) return;
        LateralId name = RegionRepairing.NameOf(region.View, sender, sequence);
        if (_equations.IsAwaited(name))
        {
            int length = RegionBlock.Write(_block, name, datagram.Span);
            if (length > 0) _equations.OnKnown(name, _block.AsSpan(0, length));
        }
        if (isRepaired && RegionRepairing.CanCombine(datagram))
            _repairing!.OnPacket(name, isOwn: false, now);
    }

    /// <summary>This node has sent packets into a view that it is a member of.</summary>
    public void OnOwnAdvanced(RegionRecovery region, StreamSender own, Instant now)
    {
        if (_repairing?.Region == region) _repairing.OnOwnAdvanced(own, now);
    }

    /// <summary>Takes a repair. <see cref="Settle"/> must follow.</summary>
    /// <param name="region">The view that its header names.</param>
    /// <param name="header">The header.</param>
    /// <param name="body">The body.</param>
    /// <param name="arrival">Its source and socket.</param>
    public RejectReason OnRepair(
        RegionRecovery region, in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival)
    {
        int index = region.View.IndexOf(header.Sender);
        if (index < 0 || index == region.Self) return RejectReason.UnknownSender;
        NodeInfo from = region.View.Members[index];
        if (!from.MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (from.IsRemoved) return RejectReason.RemovedSender;
        Span<LateralId> names = stackalloc LateralId[RegionRepairBody.MaxPackets];
        int count = RegionRepairBody.TryRead(
            body, header.ViewCounter, header.ViewTag, names, out uint seed, out ReadOnlySpan<byte> sum);
        if (count == 0) return RejectReason.Malformed;
        Counters.RepairsReceived++;
        Enter(region, names[..count], seed, sum);
        return RejectReason.None;
    }

    /// <summary>Takes what combinations have given, until there is nothing left.</summary>
    public void Settle(Instant now)
    {
        while (_equations.TryTakeSolved(out LateralId name, out Equation equation))
        {
            ReadOnlySpan<byte> sum = equation.Sum.AsSpan(0, equation.Length);
            if (!RegionBlock.TryRead(sum, name, out ReadOnlySpan<byte> body, out DatagramFlags flags))
                Counters.PacketsDisproved++;
            else if (_node.Find(name.Fragment, name.Group) is { } region) Take(region, name, body, flags, now);
            _equations.Return(equation);
        }
    }

    public void Close()
    {
        _equations.Clear();
        _repairing?.Close();
    }

    // Sessions with equal settings count as one: there are few different ones.
    private int Find(RegionRepairSettings settings)
    {
        for (int index = 0; index < _sessions.Count; index++)
        {
            if (_sessions[index].Settings == settings) return index;
        }
        return -1;
    }

    private void Enter(RegionRecovery region, ReadOnlySpan<LateralId> names, uint seed, ReadOnlySpan<byte> sum)
    {
        int missing = 0;
        int gone = 0;
        foreach (LateralId name in names)
        {
            PacketState state = region.StateOf(name.Sender, name.Number, out Slice packet);
            if (state == PacketState.Missing) missing++;
            else if (state == PacketState.Gone || RegionBlock.LengthOf(packet.Length) > sum.Length) gone++;
        }
        if (missing == 0)
        {
            // Most repairs are so where little is lost, and cost no sums.
            Counters.RepairsUseless++;
            return;
        }
        if (gone > 0)
        {
            Counters.RepairsUnusable++;
            return;
        }
        Equation equation = _equations.Rent();
        equation.Begin(sum);
        foreach (LateralId name in names)
        {
            byte coefficient = LateralRepairBody.CoefficientOf(seed, name);
            if (region.StateOf(name.Sender, name.Number, out Slice packet) == PacketState.Missing)
            {
                equation.AddTo(name, coefficient);
                continue;
            }
            int length = RegionBlock.Write(_block, name, packet.Span);
            GaloisField.AddProduct(equation.Sum, _block.AsSpan(0, length), coefficient);
        }
        _equations.Enter(equation);
    }

    private void Take(
        RegionRecovery region, in LateralId name, ReadOnlySpan<byte> body, DatagramFlags flags, Instant now)
    {
        Span<byte> datagram = _datagram.AsSpan(0, DatagramHeader.Length + body.Length);
        body.CopyTo(datagram[DatagramHeader.Length..]);
        DatagramHeader header = _node.Header(region.View, DatagramKind.Repair);
        header.Flags = flags | DatagramFlags.FromPeer | DatagramFlags.PayloadChecksum;
        header.Sender = name.Sender;
        header.Sequence = name.Number;
        header.Relay = (ushort)region.Self;
        header.TotalLength = datagram.Length;
        header.WriteTo(datagram);
        region.OnRebuilt(header, datagram, now);
    }
}
