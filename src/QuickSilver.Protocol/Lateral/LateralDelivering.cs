using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// The last step of a packet: fragments are joined, and messages and losses go to the session. Where a group keeps the
/// order of senders, both wait for their turn. O(fragments) a packet, O(messages that wait) where order is kept. Core
/// thread only.
/// </summary>
internal sealed class LateralDelivering(LateralParts parts)
{
    private const long MostHeld = 64L << 20;

    // Bytes of fragments and of messages that wait for their turn.
    private long _held;

    /// <summary>Delivers a packet that is known for the first time, or keeps it for its turn.</summary>
    /// <param name="reception">What the session has of the sender.</param>
    /// <param name="group">The session's group.</param>
    /// <param name="id">The packet.</param>
    /// <param name="block">Its parts.</param>
    /// <param name="kept">Its bytes; the caller keeps its reference.</param>
    /// <param name="now">The time.</param>
    public void Deliver(
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

    /// <summary>A message is given up. If it is the session's, its loss is reported, in its turn.</summary>
    public void GiveUp(Reception reception, LateralGroup group, ulong number, Instant now)
    {
        bool isOfSession = reception.HasBegun && number >= reception.Low;
        // What lies before it cannot be found any more.
        if (isOfSession && number == reception.Low) reception.EndLow();
        reception.SetDone(number);
        if (reception.FindAssembly(number) is { } assembly) Drop(reception, assembly);
        if (!isOfSession)
        {
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

    /// <summary>
    /// A number is told of that may be further ahead than a reception reaches: what lies too far behind it is given up.
    /// </summary>
    public void MakeRoom(Reception reception, LateralGroup group, ulong number, Instant now)
    {
        if (reception.Reaches(number)) return;
        ulong below = number - Reception.MostOpen + 1;
        while (reception.Missing.Count > 0 && reception.Missing[0].Number < below)
        {
            GiveUp(reception, group, reception.Missing[0].Number, now);
            if (!reception.Session.IsOpen) return;
        }
        ulong first = Math.Max(reception.Next, reception.High + 1);
        reception.SkipTo(below);
        if (first < below) ReportLoss(reception, first, below - first, now);
    }

    /// <summary>Delivers what waits for its turn, as far as it has come.</summary>
    public void DeliverHeld(Reception reception, Instant now)
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

    /// <summary>A session has ended: all that it has is released.</summary>
    public void Forget(LateralGroup group)
    {
        foreach (Reception reception in group.Receptions) Release(reception);
        group.Receptions.Clear();
    }

    private bool TryAssemble(
        Reception reception, in LateralId id, in LateralBlock block, in Slice bytes, out Slice whole)
    {
        whole = default;
        Assembly? assembly = reception.FindAssembly(id.Number);
        if (assembly is null)
        {
            if (_held > MostHeld) return false;
            assembly = new Assembly(id.Number, (int)block.Fragments);
            reception.Assemblies.Add(assembly);
        }
        if (assembly.Count != block.Fragments || assembly.Has(id.Fragment)) return false;
        assembly.Add(id.Fragment, bytes);
        _held += bytes.Length;
        if (!assembly.IsComplete) return false;
        // Without memory the message stays missing, until its deadline.
        bool isJoined = assembly.TryJoin(parts.Context.Pool, out whole);
        Drop(reception, assembly);
        return isJoined;
    }

    private void Complete(Reception reception, LateralGroup group, ulong number, in Slice bytes, Instant now)
    {
        Debug.Assert(!reception.IsDone(number), "a message is delivered once");
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
        Debug.Assert(!isLost || bytes.IsEmpty, "what is lost has no bytes");
        int index = reception.Held.Count;
        while (index > 0 && reception.Held[index - 1].Number > number) index--;
        reception.Held.Insert(index, (number, bytes, isLost));
        _held += bytes.Length;
    }

    private void ReportLoss(Reception reception, ulong first, ulong count, Instant now)
    {
        Debug.Assert(count > 0 && first > 0, "something is lost");
        parts.Counters.MessagesLost += count;
        if (!reception.IsOver) parts.Counters.DeadlinesPassed += count;
        reception.Session.ReportLoss(
            reception.Sender, first, count,
            reception.IsOver ? LossCause.SenderFailed : LossCause.DeadlinePassed, now);
    }

    private void Drop(Reception reception, Assembly assembly)
    {
        Debug.Assert(reception.Assemblies.Contains(assembly), "the fragments are held");
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
}
