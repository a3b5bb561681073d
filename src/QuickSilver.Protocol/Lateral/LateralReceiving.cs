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
/// is left to repairs for a while, then asked for, of a node that named it in a repair and of its sender in turn, until
/// the deadline.
/// <para>
/// Awkward cases: a packet of a step that is not installed waits for it. A repair may name packets of groups that this
/// node has left, or packets that are no longer kept: it is unusable. What a repair rebuilds must have the checksum
/// that is inside the block; otherwise it is dropped, and counted. What a removed sender left is looked for a while,
/// then reported lost.
/// </para>
/// O(bins of the group) a packet. Core thread only.
/// </summary>
internal sealed class LateralReceiving
{
    private const int MostEarly = 1024;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(500);

    private readonly LateralParts _parts;
    private readonly Equations _equations = new();
    private readonly Alarm _alarm;
    private readonly List<Reception> _watched = [];
    private readonly List<(LateralId Id, Slice Block)> _early = [];
    private long _held;
    private bool _isClosed;

    public LateralReceiving(LateralParts parts)
    {
        _parts = parts;
        _alarm = new Alarm(parts.Context.Alarms, OnDue);
    }

    /// <summary>Combinations that wait for more.</summary>
    public int Unsolved => _equations.Count;

    /// <summary>Bytes of fragments and of messages that wait for their turn.</summary>
    public long HeldBytes => _held;

    /// <summary>Takes a packet that came by itself.</summary>
    public RejectReason OnData(NodeInfo sender, ReadOnlySpan<byte> body, bool isResend, Instant now)
    {
        if (!LateralDataBody.TryRead(body, sender.Number.Key, isResend, out LateralId id, out int blockOffset))
            return RejectReason.Malformed;
        ReadOnlySpan<byte> bytes = body[blockOffset..];
        if (!LateralBlock.TryRead(bytes, id, out LateralBlock block, out int length) || length != bytes.Length)
            return RejectReason.Malformed;
        if (isResend) _parts.Counters.PacketsResent++;
        Take(id, block, bytes, now);
        Settle(now);
        return RejectReason.None;
    }

    /// <summary>Takes a combination that a member sent.</summary>
    public RejectReason OnRepair(NodeInfo from, ReadOnlySpan<byte> body, Instant now)
    {
        Span<LateralId> ids = stackalloc LateralId[LateralIdList.MaxIds];
        int count = LateralRepairBody.TryRead(body, ids, out uint seed, out ReadOnlySpan<byte> sum);
        if (count == 0) return RejectReason.Malformed;
        _parts.Counters.RepairsReceived++;
        Equation equation = _equations.Rent();
        equation.Begin(sum);
        bool isUsable = true;
        foreach (LateralId id in ids[..count])
        {
            byte coefficient = LateralRepairBody.CoefficientOf(seed, id);
            if (_parts.Cache.TryGet(id, out Slice block))
            {
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
            reception.NoteExists(entry.Number, NewMissing(now, null, _parts.Limits.LeastWait));
            Watch(reception, now);
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
            _held -= bytes.Length;
            if (LateralBlock.TryRead(bytes.Span, id, out LateralBlock block, out _)) Take(id, block, bytes.Span, now);
            bytes.Release();
        }
        Settle(now);
    }

    /// <summary>A node is gone: what it left is looked for a while.</summary>
    public void OnRemoved(NodeInfo node, Instant now)
    {
        foreach (LateralGroup group in _parts.Groups)
        {
            foreach (Reception reception in group.Receptions)
            {
                if (reception.Sender != node || reception.IsOver) continue;
                reception.IsOver = true;
                reception.OverAt = now + _parts.Limits.OrphanTime;
                Watch(reception, now);
            }
        }
    }

    /// <summary>A session has ended: all that it has is released.</summary>
    public void Forget(LateralGroup group)
    {
        foreach (Reception reception in group.Receptions) Release(reception);
        group.Receptions.Clear();
    }

    public void Close()
    {
        _isClosed = true;
        _alarm.Cancel();
        _equations.Clear();
        foreach ((_, Slice block) in _early) block.Release();
        _early.Clear();
        _watched.Clear();
    }

    // Takes a packet whose block is good; it may be known already.
    private void Take(in LateralId id, in LateralBlock block, ReadOnlySpan<byte> bytes, Instant now)
    {
        if (_parts.FindGroup(id.Group) is not { Member: { } member } group) return;
        if (id.Sender == _parts.Context.SelfKey) return;
        if (IsBefore(block.Term, block.Step, member.Began))
        {
            _parts.Context.Probes.Reached("a lateral packet was sent before the receiver's stay began");
            NoteBeforeStay(group, id);
            return;
        }
        if (IsAfter(block.Term, block.Step, _parts.Context.Cluster.Installed))
        {
            Park(id, bytes);
            return;
        }
        if (SenderOf(group, id.Sender) is not { } sender) return;
        Reception reception = ReceptionOf(group, member, sender);
        if (_parts.Cache.TryGet(id, out _) || reception.IsDone(id.Number))
        {
            _parts.Counters.PacketsDuplicate++;
            return;
        }
        _parts.Counters.PacketsReceived++;
        Slice kept = _parts.Cache.Add(id, bytes);
        _parts.Counters.CachedBytes = _parts.Cache.Bytes;
        bool isFirst = block.BeforeTerm == 0 || IsBefore(block.BeforeTerm, block.BeforeStep, member.Began);
        reception.NotePlace(id.Number, block.FirstInStep, isFirst, NewMissing(now, null, Wait));
        _parts.Repairing.OnPacket(group, id, isOwn: false);
        kept.Retain();
        Deliver(reception, group, id, block, kept, now);
        _equations.OnKnown(id, kept.Span);
        kept.Release();
        if (reception.Missing.Count > 0) Watch(reception, now);
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

    private void Deliver(
        Reception reception, LateralGroup group, in LateralId id, in LateralBlock block, in Slice kept, Instant now)
    {
        Slice bytes = kept.Part(block.BytesOffset, block.Bytes.Length);
        if (id.Fragment != 0)
        {
            if (!TryAssemble(reception, id, block, bytes, out Slice whole)) return;
            Complete(reception, group, id.Number, whole, now);
            whole.Release();
            return;
        }
        Complete(reception, group, id.Number, bytes, now);
    }

    private bool TryAssemble(
        Reception reception, in LateralId id, in LateralBlock block, in Slice bytes, out Slice whole)
    {
        whole = default;
        ulong number = id.Number;
        Assembly? assembly = reception.Assemblies.Find(one => one.Number == number);
        if (assembly is null)
        {
            if (_held > _parts.Limits.HeldBytes) return false;
            assembly = new Assembly(number, (int)block.Fragments);
            reception.Assemblies.Add(assembly);
        }
        if (assembly.Count != block.Fragments || assembly.Has(id.Fragment)) return false;
        assembly.Add(id.Fragment, bytes);
        _held += bytes.Length;
        if (!assembly.IsComplete) return false;
        whole = assembly.Join(_parts.Context.Pool);
        Drop(reception, assembly);
        return true;
    }

    private void Complete(Reception reception, LateralGroup group, ulong number, in Slice bytes, Instant now)
    {
        reception.SetDone(number);
        if (!group.Settings.InOrder)
        {
            reception.Session.Deliver(reception.Sender, new DeliveryBatch(number, bytes), now);
            return;
        }
        bytes.Retain();
        Hold(reception, number, bytes, isLost: false);
        DeliverHeld(reception, now);
    }

    private void Hold(Reception reception, ulong number, in Slice bytes, bool isLost)
    {
        int index = reception.Held.Count;
        while (index > 0 && reception.Held[index - 1].Number > number) index--;
        reception.Held.Insert(index, (number, bytes, isLost));
        _held += bytes.Length;
    }

    private void DeliverHeld(Reception reception, Instant now)
    {
        while (reception.Held.Count > 0 && reception.IsLowFinal && reception.Held[0].Number < reception.Next)
        {
            (ulong number, Slice bytes, bool isLost) = reception.Held[0];
            reception.Held.RemoveAt(0);
            _held -= bytes.Length;
            if (isLost) ReportLoss(reception, number, 1, now);
            else reception.Session.Deliver(reception.Sender, new DeliveryBatch(number, bytes), now);
            bytes.Release();
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
        _early.Add((id, _parts.Arena.Copy(bytes)));
        _held += bytes.Length;
    }

    // A packet of before the stay was asked for, because nothing of its sender had come.
    private static void NoteBeforeStay(LateralGroup group, in LateralId id)
    {
        foreach (Reception reception in group.Receptions)
        {
            if (reception.Sender.Number.Key == id.Sender && !reception.HasBegun)
            {
                ulong number = id.Number;
                reception.Missing.RemoveAll(missing => missing.Number <= number);
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
            if (id.Number > reception.Next + Reception.MostOpen && reception.HasBegun) continue;
            reception.NoteExists(id.Number, NewMissing(now, holder, Wait));
            int index = reception.Find(id.Number);
            if (index >= 0) reception.Missing[index] = reception.Missing[index] with { Holder = holder };
            Watch(reception, now);
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

    private TimeSpan Wait => _parts.Limits.MostWait;

    private static MissingMessage NewMissing(Instant now, NodeInfo? holder, TimeSpan wait) =>
        new(0, now, now + wait, 0, holder);

    private void Watch(Reception reception, Instant now)
    {
        if (!reception.IsWatched)
        {
            reception.IsWatched = true;
            _watched.Add(reception);
        }
        _alarm.SetIfEarlier(now + _parts.Limits.LeastWait);
    }

    private void OnDue(Instant now)
    {
        for (int index = _watched.Count - 1; index >= 0; index--)
        {
            Reception reception = _watched[index];
            Look(reception, now);
            if (_isClosed) return;
            bool isIdle = reception.Missing.Count == 0 && (!reception.IsOver || reception.IsClosed);
            if (!isIdle && reception.Session.IsOpen) continue;
            reception.IsWatched = false;
            _watched.RemoveAt(index);
        }
        if (_watched.Count > 0) _alarm.SetIfEarlier(now + (_parts.Limits.LeastWait / 2));
    }

    private void Look(Reception reception, Instant now)
    {
        if (!reception.Session.IsOpen || reception.IsClosed) return;
        var group = (LateralGroup)reception.Session.State!;
        bool isOver = reception.IsOver && now >= reception.OverAt;
        for (int index = 0; index < reception.Missing.Count; index++)
        {
            MissingMessage missing = reception.Missing[index];
            if (isOver || now - missing.Found >= group.Settings.Deadline)
            {
                GiveUp(reception, group, missing.Number, now);
                if (!reception.Session.IsOpen) return;
                index = -1;
                continue;
            }
            if (missing.Due > now) continue;
            Ask(reception, missing, group.Id);
            TimeSpan pause = FirstPause * (1 << Math.Min(missing.Tries, 6));
            reception.Missing[index] = missing with
            {
                Due = now + (pause < LongestPause ? pause : LongestPause),
                Tries = missing.Tries + 1,
            };
        }
        if (!isOver) return;
        DeliverHeld(reception, now);
        reception.IsClosed = true;
        reception.Session.CloseSender(reception.Sender, now);
    }

    // Of who named it, and of its sender, in turn; of any member, if both are out of reach.
    private void Ask(Reception reception, in MissingMessage missing, uint group)
    {
        NodeInfo? holder = missing.Holder is { IsRemoved: false } known ? known : null;
        NodeInfo? sender = reception.Sender.IsRemoved ? null : reception.Sender;
        NodeInfo? target = missing.Tries % 2 == 0 ? holder ?? sender : sender ?? holder;
        if (missing.Tries > 3 || target is null) target = AnyMember(group) ?? target;
        if (target is null) return;
        ulong number = missing.Number;
        Assembly? assembly = reception.Assemblies.Find(one => one.Number == number);
        var id = new LateralId(reception.Sender.Number.Key, group, number, 0);
        if (assembly is null)
        {
            _parts.Asking.Ask(target, id);
            return;
        }
        int asked = 0;
        for (uint fragment = 1; fragment <= assembly.Count && asked < LateralIdList.MaxIds; fragment++)
        {
            if (assembly.Has(fragment)) continue;
            asked++;
            _parts.Asking.Ask(target, id with { Fragment = fragment });
        }
    }

    private NodeInfo? AnyMember(uint group)
    {
        NodeInfo? chosen = null;
        ulong seen = 0;
        foreach (RegionView view in _parts.Context.Cluster.Views)
        {
            for (int index = 0; index < view.Members.Length; index++)
            {
                NodeInfo member = view.Members[index];
                if (member.IsRemoved || member.Number.Key == _parts.Context.SelfKey) continue;
                if (view.GroupsOf(index).Counters.BinarySearch(group) < 0) continue;
                if (_parts.Context.Random.NextBelow(++seen) == 0) chosen = member;
            }
        }
        return chosen;
    }

    private void GiveUp(Reception reception, LateralGroup group, ulong number, Instant now)
    {
        bool isOfSession = reception.HasBegun && number >= reception.Low;
        // What lies before it cannot be found any more.
        if (isOfSession && number == reception.Low) reception.EndLow();
        reception.SetDone(number);
        if (reception.Assemblies.Find(one => one.Number == number) is { } assembly) Drop(reception, assembly);
        if (!isOfSession)
        {
            int index = reception.Find(number);
            if (index >= 0) reception.Missing.RemoveAt(index);
            return;
        }
        if (group.Settings.InOrder)
        {
            Hold(reception, number, default, isLost: true);
            DeliverHeld(reception, now);
        }
        else
        {
            ReportLoss(reception, number, 1, now);
        }
    }

    private void ReportLoss(Reception reception, ulong first, ulong count, Instant now)
    {
        _parts.Counters.MessagesLost += count;
        reception.Session.ReportLoss(
            reception.Sender, first, count,
            reception.IsOver ? LossCause.SenderFailed : LossCause.DeadlinePassed, now);
    }

    private void Drop(Reception reception, Assembly assembly)
    {
        _held -= assembly.Bytes;
        assembly.Release();
        reception.Assemblies.Remove(assembly);
    }

    private void Release(Reception reception)
    {
        while (reception.Assemblies.Count > 0) Drop(reception, reception.Assemblies[0]);
        foreach ((_, Slice bytes, _) in reception.Held)
        {
            _held -= bytes.Length;
            bytes.Release();
        }
        reception.Held.Clear();
        reception.Missing.Clear();
    }

    private static bool IsBefore(ulong term, ulong step, in StepNumber other) =>
        term != other.Epoch.Term ? term < other.Epoch.Term : step < other.Counter;

    private static bool IsAfter(ulong term, ulong step, in StepNumber other) =>
        term != other.Epoch.Term ? term > other.Epoch.Term : step > other.Counter;
}
