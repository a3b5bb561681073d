using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// What arrives: packets are delivered at once, and repairs are solved with what is known. What is known to be missing
/// is left to <see cref="LateralSearch"/>.
/// <para>
/// Awkward cases: a packet of a step that is not installed waits for it. A repair may name packets of groups that this
/// node has left, or packets that are no longer kept: it is unusable. What a repair rebuilds must have the checksum
/// that is inside the block; otherwise it is dropped, and counted.
/// </para>
/// O(bins of the group) a packet. Core thread only.
/// </summary>
internal sealed class LateralReceiving
{
    private const int MostEarly = 1024;

    // The most time that a packet found missing is left to repairs.
    private static readonly TimeSpan MostWait = TimeSpan.FromMilliseconds(100);

    // How long what a removed sender left is looked for.
    private static readonly TimeSpan OrphanTime = TimeSpan.FromSeconds(2);

    private readonly LateralParts _parts;
    private readonly Equations _equations = new();
    private readonly List<(LateralId Id, Slice Block)> _early = [];

    public LateralReceiving(LateralParts parts) => _parts = parts;

    /// <summary>Takes a packet that came by itself.</summary>
    public RejectReason OnData(NodeInfo sender, ReadOnlySpan<byte> body, bool isResend, Instant now)
    {
        if (!LateralDataBody.TryRead(body, sender.Number.Key, isResend, out LateralId id, out int blockOffset))
            return RejectReason.Malformed;
        ReadOnlySpan<byte> bytes = body[blockOffset..];
        if (!LateralBlock.TryRead(bytes, id, out LateralBlock block, out int length) || length != bytes.Length)
            return RejectReason.Malformed;
        if (!MayCarry(sender, id)) return RejectReason.NotAllowed;
        if (isResend) _parts.Counters.PacketsResent++;
        RejectReason reason = Take(id, block, bytes, now);
        Settle(now);
        return reason;
    }

    /// <summary>Takes a combination that a member sent.</summary>
    public RejectReason OnRepair(NodeInfo from, ReadOnlySpan<byte> body, Instant now)
    {
        Span<LateralId> ids = stackalloc LateralId[LateralIdList.MaxIds];
        int count = LateralRepairBody.TryRead(body, ids, out uint seed, out ReadOnlySpan<byte> sum);
        if (count == 0) return RejectReason.Malformed;
        foreach (LateralId id in ids[..count])
        {
            if (!_parts.Peers.IsInGroup(from.Number.Key, id.Group)) return RejectReason.NotAllowed;
        }
        _parts.Counters.RepairsReceived++;
        Equation equation = _equations.Rent();
        equation.Begin(sum);
        bool isUsable = true;
        Instant oldest = now;
        foreach (LateralId id in ids[..count])
        {
            byte coefficient = LateralRepairBody.CoefficientOf(seed, id);
            if (_parts.Cache.TryGet(id, out Slice block, out Instant since))
            {
                if (since < oldest) oldest = since;
                isUsable &= block.Length <= sum.Length;
                if (isUsable) GaloisField.AddProduct(equation.Sum, block.Span, coefficient);
            }
            else if (IsWanted(id))
            {
                equation.AddTo(id, coefficient);
            }
            else
            {
                isUsable = false;
            }
        }
        NoteFill(ids[..count], now - oldest);
        if (!isUsable) _parts.Counters.RepairsUnusable++;
        else if (equation.Count == 0) _parts.Counters.RepairsUseless++;
        // What cannot be solved at once is noted as missing, even if this repair is of no use.
        if (equation.Count > 1 || !isUsable) NoteMissing(equation, from, now);
        if (isUsable) _equations.Enter(equation);
        else _equations.Return(equation);
        Settle(now);
        return RejectReason.None;
    }

    /// <summary>Takes a sender's report of its last numbers.</summary>
    public RejectReason OnSession(NodeInfo sender, ReadOnlySpan<byte> body, Instant now)
    {
        Span<(uint Group, ulong Number)> last = stackalloc (uint, ulong)[LateralSessionBody.MaxGroups];
        int count = LateralSessionBody.TryRead(body, last);
        if (count == 0) return RejectReason.Malformed;
        foreach ((uint Group, ulong Number) entry in last[..count])
        {
            if (_parts.FindGroup(entry.Group) is not { Member: { } member } group) continue;
            Reception reception = ReceptionOf(group, member, sender);
            if (reception.IsDone(entry.Number)) continue;
            _parts.Delivering.MakeRoom(reception, group, entry.Number, now);
            reception.NoteExists(entry.Number, LateralSearch.NewMissing(now, null, LateralSearch.LeastWait));
            _parts.Search.Watch(reception, now);
        }
        return RejectReason.None;
    }

    /// <summary>A step is installed: packets of it that waited are taken.</summary>
    public void OnStepInstalled(StepNumber step, Instant now)
    {
        if (_early.Count == 0) return;
        (LateralId Id, Slice Block)[] early = [.. _early];
        _early.Clear();
        foreach ((LateralId id, Slice bytes) in early)
        {
            if (LateralBlock.TryRead(bytes.Span, id, out LateralBlock block, out _)) Take(id, block, bytes.Span, now);
            bytes.Release();
        }
        Settle(now);
    }

    /// <summary>A node is gone: what it left is looked for a while.</summary>
    public void OnRemoved(NodeInfo node, Instant now)
    {
        Debug.Assert(node.IsRemoved, "the node is removed");
        foreach (LateralGroup group in _parts.Groups)
        {
            foreach (Reception reception in group.Receptions)
            {
                if (reception.Sender != node || reception.IsOver) continue;
                reception.IsOver = true;
                reception.OverAt = now + OrphanTime;
                _parts.Search.Watch(reception, now);
            }
        }
    }

    public void Close()
    {
        _equations.Clear();
        foreach ((_, Slice block) in _early) block.Release();
        _early.Clear();
    }

    // Others' packets come from members of the group alone.
    private bool MayCarry(NodeInfo from, in LateralId id) =>
        id.Sender == from.Number.Key || _parts.Peers.IsInGroup(from.Number.Key, id.Group);

    // Takes a packet whose block is good; it may be known already.
    private RejectReason Take(in LateralId id, in LateralBlock block, ReadOnlySpan<byte> bytes, Instant now)
    {
        Debug.Assert(id.Number > 0 && block.Bytes.Length <= bytes.Length, "the block is good");
        if (_parts.FindGroup(id.Group) is not { Member: { } member } group) return RejectReason.None;
        if (id.Sender == _parts.Context.SelfKey) return RejectReason.None;
        if (IsBefore(block.Term, block.Step, member.Began))
        {
            _parts.Context.Probes.Reached("a lateral packet was sent before the receiver's stay began");
            NoteBeforeStay(group, id);
            return RejectReason.None;
        }
        if (IsAfter(block.Term, block.Step, _parts.Context.Cluster.Installed))
        {
            Park(id, bytes);
            return RejectReason.None;
        }
        if (SenderOf(group, id.Sender) is not { } sender) return RejectReason.None;
        Reception reception = ReceptionOf(group, member, sender);
        if (_parts.Cache.TryGet(id, out _) || reception.IsDone(id.Number))
        {
            _parts.Counters.PacketsDuplicate++;
            return RejectReason.None;
        }
        if (!_parts.Cache.TryAdd(id, bytes, now, out Slice kept)) return RejectReason.NoRoom;
        kept.Retain();
        _parts.Counters.PacketsReceived++;
        _parts.Search.OnArrived(reception, id.Number, now);
        _parts.Counters.CachedBytes = _parts.Cache.Bytes;
        bool isFirst = block.BeforeTerm == 0 || IsBefore(block.BeforeTerm, block.BeforeStep, member.Began);
        _parts.Delivering.MakeRoom(reception, group, id.Number, now);
        reception.NotePlace(
            id.Number, block.FirstInStep, isFirst, LateralSearch.NewMissing(now, null, WaitIn(group)));
        _parts.Repairing.OnPacket(group, id, isOwn: false, now);
        _parts.Delivering.Deliver(reception, group, id, block, kept, now);
        _equations.OnKnown(id, kept.Span);
        kept.Release();
        if (reception.Missing.Count > 0) _parts.Search.Watch(reception, now);
        return RejectReason.None;
    }

    // Takes what combinations have given, until there is nothing left.
    private void Settle(Instant now)
    {
        while (_equations.TryTakeSolved(out LateralId id, out Equation equation))
        {
            ReadOnlySpan<byte> sum = equation.Sum.AsSpan(0, equation.Length);
            if (!LateralBlock.TryRead(sum, id, out LateralBlock block, out int length))
            {
                _parts.Counters.PacketsDisproved++;
            }
            else if (IsWanted(id))
            {
                _parts.Counters.PacketsRecovered++;
                Take(id, block, sum[..length], now);
            }
            _equations.Return(equation);
        }
    }

    private void Park(in LateralId id, ReadOnlySpan<byte> bytes)
    {
        if (_early.Count >= MostEarly) return;
        foreach ((LateralId known, _) in _early)
        {
            if (known.Equals(id)) return;
        }
        _parts.Context.Probes.Reached("a lateral packet comes of a step that is not installed");
        if (_parts.Arena.TryCopy(bytes, out Slice copy)) _early.Add((id, copy));
    }

    // A packet of before the stay was asked for, because nothing of its sender had come.
    private static void NoteBeforeStay(LateralGroup group, in LateralId id)
    {
        foreach (Reception reception in group.Receptions)
        {
            if (reception.Sender.Number.Key == id.Sender && !reception.HasBegun)
            {
                reception.ForgetMissing(id.Number + 1);
            }
        }
    }

    // False for what is known, given up, or not for this node: nothing will be done with it.
    private bool IsWanted(in LateralId id)
    {
        if (id.Sender == _parts.Context.SelfKey) return false;
        if (_parts.FindGroup(id.Group) is not { Member: { } member } group) return false;
        if (SenderOf(group, id.Sender) is not { } sender) return false;
        return !ReceptionOf(group, member, sender).IsDone(id.Number);
    }

    private void NoteMissing(Equation equation, NodeInfo holder, Instant now)
    {
        foreach (LateralId id in equation.Ids)
        {
            if (_parts.FindGroup(id.Group) is not { Member: { } member } group) continue;
            if (SenderOf(group, id.Sender) is not { } sender) continue;
            Reception reception = ReceptionOf(group, member, sender);
            if (!reception.Reaches(id.Number)) continue;
            reception.NoteExists(id.Number, LateralSearch.NewMissing(now, holder, WaitIn(group)));
            int index = reception.Missing.Find(id.Number);
            if (index >= 0) reception.Missing[index] = reception.Missing[index] with { Holder = holder };
            _parts.Search.Watch(reception, now);
        }
    }

    private NodeInfo? SenderOf(LateralGroup group, ulong key)
    {
        foreach (Reception reception in group.Receptions)
        {
            if (reception.Sender.Number.Key == key) return reception.IsClosed ? null : reception.Sender;
        }
        return _parts.Context.Cluster.FindNode(key) is { IsRemoved: false } sender ? sender : null;
    }

    private static Reception ReceptionOf(LateralGroup group, ModeSession member, NodeInfo sender)
    {
        foreach (Reception reception in group.Receptions)
        {
            if (ReferenceEquals(reception.Sender, sender)) return reception;
        }
        var fresh = new Reception(member, sender);
        group.Receptions.Add(fresh);
        return fresh;
    }

    // The oldest packet of a repair has waited while its sender's bin filled, and while the repair was on its way.
    private void NoteFill(ReadOnlySpan<LateralId> ids, TimeSpan fill)
    {
        uint last = 0;
        foreach (LateralId id in ids)
        {
            if (id.Group == last) continue;
            last = id.Group;
            _parts.FindGroup(last)?.NoteFill(fill);
        }
    }

    // All who hold a packet have had the time to repair it: twice what a bin takes to fill.
    private TimeSpan WaitIn(LateralGroup group)
    {
        if (group.Fill is not { } fill || 2 * fill > MostWait) return MostWait;
        return 2 * fill < LateralSearch.LeastWait ? LateralSearch.LeastWait : 2 * fill;
    }

    private static bool IsBefore(ulong term, ulong step, in StepNumber other) =>
        term != other.Epoch.Term ? term < other.Epoch.Term : step < other.Counter;

    private static bool IsAfter(ulong term, ulong step, in StepNumber other) =>
        term != other.Epoch.Term ? term > other.Epoch.Term : step > other.Counter;
}
