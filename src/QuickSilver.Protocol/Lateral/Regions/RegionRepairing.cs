using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral.Regions;

/// <summary>
/// Builds the repairs that this node owes the other members of its region view, when the socket can take them: the
/// blocks of a bin's packets are combined from what recovery keeps. A packet that is stable has been released, and is
/// left out; so is one for which the way to the member leaves no room.
/// <para>
/// Awkward cases: a new view empties the bins, because a repair names one view. Packets of a draining view are left to
/// its ring. O(members) a packet. Core thread only.
/// </para>
/// </summary>
internal sealed class RegionRepairing : IFeed
{
    private readonly Recoverer _node;
    private readonly RegionRepairCounters _counters;
    private readonly RepairBins _bins;
    private readonly Alarm _alarm;
    private readonly byte[] _block = new byte[RegionBlock.MaxLength];
    private readonly byte[] _sum = new byte[RegionBlock.MaxLength];
    private readonly byte[] _datagram = new byte[DatagramHeader.Length + RegionRepairBody.FixedLength
        + (RegionRepairBody.MaxPackets * LateralIdList.MaxIdLength) + RegionBlock.MaxLength];
    private ulong _ownNoted;

    public RegionRepairing(Recoverer node, RegionRepairCounters counters, LateralLimits limits)
    {
        _node = node;
        _counters = counters;
        _bins = new RepairBins(new SeededRandom(node.Random.NextUInt64()), limits);
        _alarm = new Alarm(node.Alarms, OnDue);
    }

    /// <summary>The region whose packets are repaired; null: none.</summary>
    public RegionRecovery? Region { get; private set; }

    /// <summary>Makes the bins for a region view and its members as they are.</summary>
    /// <param name="region">The region of this node; null: none is repaired.</param>
    /// <param name="packets">The r of repairs.</param>
    /// <param name="rate">The c of repairs.</param>
    public void Rebuild(RegionRecovery? region, int packets, double rate)
    {
        if (region != Region)
        {
            // Bins of a view that is no longer this node's have packets of it.
            _bins.Rebuild(new MultiGroupView([], [], []), [], packets, LateralCode.Field, 1, _node.SelfKey);
            _ownNoted = 0;
        }
        Region = region;
        if (region is null) return;
        var others = new LateralRegion([0]);
        foreach (NodeInfo member in region.View.Members)
        {
            if (!member.IsRemoved && member.Number.Key != _node.SelfKey) others.Members.Add(member);
        }
        var view = new MultiGroupView([region.View.Number.Counter], [others.Members.Count], [others]);
        _bins.Rebuild(view, [rate], packets, LateralCode.Field, 1, _node.SelfKey);
        Register();
    }

    /// <summary>A packet of the region is here for the first time.</summary>
    public void OnPacket(in LateralId name, bool isOwn, Instant now)
    {
        _bins.Add(0, name, isOwn, now);
        Register();
        if (!_alarm.IsSet) SetAlarm(now);
    }

    /// <summary>This node has sent packets into the region.</summary>
    public void OnOwnAdvanced(StreamSender own, Instant now)
    {
        for (_ownNoted = Math.Max(_ownNoted, own.Stable); _ownNoted < own.Highest;)
        {
            if (own.TryGetPacket(++_ownNoted, out Slice packet) && CanCombine(packet))
                OnPacket(NameOf(own.View, _node.SelfKey, _ownNoted), isOwn: true, now);
        }
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        while (_bins.TryTake(out RepairBin bin))
        {
            NodeInfo peer = bin.Peer!;
            int length = peer.IsRemoved ? 0 : Build(bin, peer);
            _bins.Clear(bin);
            if (length == 0) continue;
            _counters.RepairsSent++;
            _counters.RepairBytesSent += (ulong)length;
            train = new Train(_datagram.AsMemory(0, length), length, TrainRoute.Unicast, peer.Data, null);
            return true;
        }
        return false;
    }

    public void Close() => _alarm.Cancel();

    /// <summary>False for a packet that is too long for combinations.</summary>
    public static bool CanCombine(in Slice packet) => RegionBlock.LengthOf(packet.Length) <= RegionBlock.MaxLength;

    /// <summary>The name of a packet of a view.</summary>
    public static LateralId NameOf(RegionView view, ulong sender, ulong sequence) =>
        RegionBlock.Name(sender, sequence, view.Number.Counter, view.Number.Tag);

    private void OnDue(Instant now)
    {
        _bins.Flush(now);
        Register();
        SetAlarm(now);
    }

    private void SetAlarm(Instant now)
    {
        Instant due = _bins.NextDue(now);
        if (due != Instant.Never) _alarm.Set(due);
    }

    private void Register()
    {
        if (_bins.HasReady) _node.Roots.Register(this, PriorityClass.Repair);
    }

    // Returns the length of the datagram; 0: there is nothing to send.
    private int Build(RepairBin bin, NodeInfo peer)
    {
        RegionRecovery region = Region!;
        Span<LateralId> names = bin.Ids;
        names.Sort();
        int room = Math.Min(_node.Paths.LongestRepairTo(peer), _node.Transport.Facts.SlotBytes)
            - DatagramHeader.Length - RegionRepairBody.FixedLength;
        uint seed = (uint)_node.Random.NextUInt64() | 1;
        _sum.AsSpan().Clear();
        int count = 0;
        int list = 0;
        int longest = 0;
        LateralId before = default;
        foreach (LateralId name in names)
        {
            if (region.StateOf(name.Sender, name.Number, out Slice packet) != PacketState.Kept) continue;
            int added = RegionRepairBody.LengthOf(before, name);
            int block = Math.Max(longest, RegionBlock.LengthOf(packet.Length));
            if (list + added + block > room) continue;
            int length = RegionBlock.Write(_block, name, packet.Span);
            if (length == 0) continue;
            GaloisField.AddProduct(_sum, _block.AsSpan(0, length), LateralRepairBody.CoefficientOf(seed, name));
            (longest, list, before) = (block, list + added, name);
            names[count++] = name;
        }
        if (count == 0) return 0;
        var writer = new WireWriter(_datagram.AsSpan(DatagramHeader.Length));
        RegionRepairBody.WritePrefix(ref writer, seed, names[..count]);
        writer.WriteBytes(_sum.AsSpan(0, longest));
        int total = DatagramHeader.Length + writer.Written;
        _node.Header(region.View, DatagramKind.RegionRepair).WriteTo(_datagram.AsSpan(0, total));
        return total;
    }
}
