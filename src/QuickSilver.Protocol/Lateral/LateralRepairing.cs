using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Builds the repairs that this node owes other members, when the socket can take them: the blocks of a bin's packets
/// are combined from the cache. A packet that is no longer kept is left out. Core thread only.
/// </summary>
internal sealed class LateralRepairing : IFeed
{
    private readonly LateralParts _parts;
    private readonly RepairBins _bins;
    private readonly Alarm _alarm;
    private readonly byte[] _datagram = new byte[DatagramHeader.Length + LateralRepairBody.SeedLength + 1
        + (LateralIdList.MaxIds * LateralIdList.MaxIdLength) + LateralBlock.MaxLength];
    private readonly byte[] _sum = new byte[LateralBlock.MaxLength];
    private readonly List<NodeInfo> _targets = [];
    private int _length;
    private int _nextTarget;
    private LateralCode _code;

    public LateralRepairing(LateralParts parts)
    {
        _parts = parts;
        _bins = new RepairBins(parts.Context.Random);
        _alarm = new Alarm(parts.Context.Alarms, OnDue);
    }

    /// <summary>Packets that one repair of this node combines, at the least of its groups.</summary>
    public int Packets { get; private set; } = new LateralSettings().PacketsPerRepair;

    /// <summary>Makes the bins for the groups and members as installed.</summary>
    public void Rebuild()
    {
        var members = new List<LateralGroup>();
        foreach (LateralGroup group in _parts.Groups)
        {
            group.Index = -1;
            if (group.Member is not null) members.Add(group);
        }
        members.Sort(static (one, other) => one.Id.CompareTo(other.Id));
        int packets = LateralIdList.MaxIds;
        int lanes = 1;
        bool isExact = members.Count > 0;
        for (int index = 0; index < members.Count; index++)
        {
            members[index].Index = index;
            packets = Math.Min(packets, members[index].Settings.PacketsPerRepair);
            lanes = Math.Max(lanes, members[index].Settings.Stagger);
            isExact &= members[index].Settings.Code == LateralCode.Xor;
        }
        Packets = packets;
        _code = isExact ? LateralCode.Xor : LateralCode.Field;
        MultiGroupView view = MultiGroupView.Make(
            [.. members.Select(static group => group.Id)], _parts.Context.Cluster.Views, _parts.Context.SelfKey);
        double[] rates = [.. members.Select(static group => group.Settings.RepairsPerPacket)];
        _bins.Rebuild(view, rates, packets, _code, lanes, _parts.Context.SelfKey);
        _parts.Counters.Bins = _bins.Count;
        Register();
    }

    /// <summary>A packet is known here for the first time.</summary>
    public void OnPacket(LateralGroup group, in LateralId id, bool isOwn, Instant now)
    {
        if (group.Index < 0) return;
        _bins.Add(group.Index, id, isOwn, now);
        Register();
        if (!_alarm.IsSet) SetAlarm(now);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        RegionView? view = null;
        NodeInfo target = null!;
        while (view is null)
        {
            if (_nextTarget < _targets.Count)
            {
                target = _targets[_nextTarget++];
                view = _parts.Peers.ViewOf(target.Number.Key);
                continue;
            }
            _targets.Clear();
            _nextTarget = 0;
            if (!_bins.TryTake(out RepairBin bin)) return false;
            _bins.AddTargets(bin, _targets);
            int packets = _targets.Count > 0 ? Build(bin) : bin.Count;
            _bins.Clear(bin, packets, now);
            if (_length == 0) _targets.Clear();
        }
        _parts.Context.Header(DatagramKind.LateralRepair, view).WriteTo(_datagram.AsSpan(0, _length));
        _parts.Counters.RepairsSent++;
        _parts.Counters.RepairBytesSent += (ulong)_length;
        train = new Train(_datagram.AsMemory(0, _length), _length, TrainRoute.Unicast, target.Data, null);
        return true;
    }

    public void Close() => _alarm.Cancel();

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
        if (_bins.HasReady) _parts.Context.Roots.Register(this, PriorityClass.Repair);
    }

    // Combines the first packets of a bin, as many as fit into a datagram to its targets; gives how many those are.
    private int Build(RepairBin bin)
    {
        Debug.Assert(_targets.Count > 0, "somebody is to get it");
        _length = 0;
        Span<LateralId> ids = bin.Ids;
        ids.Sort();
        uint seed = _code == LateralCode.Xor ? 0 : (uint)_parts.Context.Random.NextUInt64() | 1;
        _sum.AsSpan().Clear();
        int room = Room();
        int count = 0;
        int longest = 0;
        int listed = 1;
        int taken = 0;
        for (; taken < ids.Length; taken++)
        {
            LateralId id = ids[taken];
            if (!_parts.Cache.TryGet(id, out Slice block)) continue;
            int length = listed + LateralIdList.LengthOf(count > 0 ? ids[count - 1] : default, id);
            if (length + Math.Max(longest, block.Length) > room)
            {
                // One that is too long by itself is for nobody here.
                if (count == 0) continue;
                break;
            }
            listed = length;
            GaloisField.AddProduct(_sum, block.Span, LateralRepairBody.CoefficientOf(seed, id));
            longest = Math.Max(longest, block.Length);
            ids[count++] = id;
        }
        if (count == 0) return taken;
        _parts.Counters.Combinations += (ulong)count;
        var writer = new WireWriter(_datagram.AsSpan(DatagramHeader.Length));
        LateralRepairBody.WritePrefix(ref writer, seed, ids[..count]);
        writer.WriteBytes(_sum.AsSpan(0, longest));
        _length = DatagramHeader.Length + writer.Written;
        return taken;
    }

    private int Room()
    {
        int longest = DatagramHeader.Length + LateralRepairBody.SeedLength + LateralBlock.MaxLength;
        foreach (NodeInfo target in _targets) longest = Math.Min(longest, _parts.Context.Casts.LongestTo(target));
        return longest - DatagramHeader.Length - LateralRepairBody.SeedLength;
    }
}
