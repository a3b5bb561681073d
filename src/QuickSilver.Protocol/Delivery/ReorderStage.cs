using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>Puts messages and fragments that come in any order into their sender's order, each once.</summary>
/// <remarks>
/// Message n of a (sender, group) is delivered when n - 1 has been delivered or reported lost. Whole messages come and
/// go in batches. When the next message is in a batch, all of it up to the first held message is delivered straight
/// through in one call. Everything else waits in its cursor's buffer. A fragmented message waits as its fragments,
/// which are joined into one buffer at the moment of delivery. A message may become deliverable while another of its
/// cursor is being delivered (the handler sent to itself). It waits for the end of that call, so handlers of one cursor
/// never nest.
/// </remarks>
internal sealed class ReorderStage(BufferPool buffers, DeliveryCounters counters, Probes probes)
{
    private readonly HeldPool _pool = new();

    /// <summary>Takes whole messages; retains those that it keeps.</summary>
    public void OnWhole(SenderCursor cursor, DeliveryBatch batch, Instant now)
    {
        while (true)
        {
            if (batch.Number < cursor.Next && !TryPassDelivered(cursor, ref batch)) return;
            if (batch.Number != cursor.Next || cursor.IsDelivering) break;
            int open = cursor.Held is { } held
                ? (int)Math.Min((ulong)batch.Count, held.First.Number - batch.Number)
                : batch.Count;
            if (open == 0) break;
            cursor.Next = batch.Number + (ulong)open;
            cursor.IsDelivering = true;
            Deliver(cursor, open == batch.Count ? batch : batch.Until(open), now);
            cursor.IsDelivering = false;
            if (cursor.Held is not null) Drain(cursor, now);
            if (open == batch.Count || !cursor.Group.IsOpen) return;
            batch = batch.After(open);
        }
        Hold(cursor, batch);
    }

    /// <summary>Takes a fragment; retains it if it keeps it.</summary>
    public void OnFragment(SenderCursor cursor, in PacketRecord fragment, Slice bytes, Instant now)
    {
        ulong number = fragment.Number;
        if (number < cursor.Next)
        {
            counters.Duplicates++;
            return;
        }
        switch (AddFragment(cursor, fragment, bytes))
        {
            case FragmentOutcome.Added:
                counters.HeldBytes += bytes.Length + HeldBatch.Overhead;
                if (number == cursor.Next) Drain(cursor, now);
                break;
            case FragmentOutcome.Duplicate:
                counters.Duplicates++;
                break;
            case FragmentOutcome.Contradiction:
                counters.Rejected.Count(RejectReason.BadFragment);
                break;
        }
    }

    /// <summary>Starts a cursor that has not started, and delivers the messages that waited for it.</summary>
    public void Start(SenderCursor cursor, ulong number, Instant now)
    {
        System.Diagnostics.Debug.Assert(cursor.Next == 0, "a cursor starts once");
        cursor.Next = number;
        if (cursor.Held is not null) probes.Reached("a receiver's first message comes after later ones");
        while (cursor.Held is { } held && held.First.Number < number)
        {
            ulong passed = Math.Min(held.First.End, number) - held.First.Number;
            counters.Duplicates += passed;
            if (held.First.End <= number)
            {
                Release(Take(cursor, held));
                continue;
            }
            counters.HeldBytes -= (long)passed * held.First.Messages.Length;
            held.MoveOn((int)passed);
        }
        Drain(cursor, now);
    }

    /// <summary>
    /// Gives up the messages missing between the held ones: reports each gap and delivers the messages behind it. An
    /// incomplete message counts as missing. A cursor that had not started starts at the lowest held message, after one
    /// loss of unknown count.
    /// </summary>
    /// <returns>True when there was a gap.</returns>
    public bool SkipGaps(SenderCursor cursor, Instant now)
    {
        bool hasGap = false;
        bool outer = cursor.IsDelivering;
        cursor.IsDelivering = true;
        while (cursor.Held is not null)
        {
            ulong next = 0;
            while (cursor.Held is { } held)
            {
                next = held.First.Number;
                if (held.First.IsComplete) break;
                next++;
                Release(Take(cursor, held));
            }
            hasGap |= next > cursor.Next;
            ReportLoss(cursor, next, now);
            DeliverReady(cursor, now);
        }
        cursor.IsDelivering = outer;
        return hasGap;
    }

    /// <summary>
    /// Reports that an unknown number of messages after the last one may be lost. Does nothing for a cursor that has
    /// not started, or has ended.
    /// </summary>
    public void ReportTail(SenderCursor cursor, Instant now)
    {
        if (cursor.Next == 0 || !cursor.Group.IsOpen) return;
        cursor.Listener.OnLoss(cursor.Sender, cursor.Next, 0, now);
    }

    /// <summary>Drops everything a cursor holds.</summary>
    public void Drop(SenderCursor cursor)
    {
        while (cursor.Held is { } held) Release(Take(cursor, held));
    }

    private void Drain(SenderCursor cursor, Instant now)
    {
        if (cursor.IsDelivering)
        {
            probes.Reached("a message is deliverable while another of its sender is delivered");
            return;
        }
        cursor.IsDelivering = true;
        DeliverReady(cursor, now);
        cursor.IsDelivering = false;
    }

    private void DeliverReady(SenderCursor cursor, Instant now)
    {
        // Read again each time: the handler may have closed the group, which drops the held messages.
        while (cursor.Held is { } held && held.First.Number == cursor.Next && held.First.IsComplete)
        {
            HeldBatch batch = Take(cursor, held);
            cursor.Next = batch.End;
            if (batch.Parts is not null) DeliverJoined(cursor, batch.Number, batch.Parts, now);
            else Deliver(cursor, batch.Messages, now);
            batch.Messages.First.Release();
        }
    }

    private void DeliverJoined(SenderCursor cursor, ulong number, Reassembly parts, Instant now)
    {
        Chunk chunk = buffers.Rent(parts.MessageLength, BufferOwner.Reassembly);
        var bytes = new Slice(chunk, 0, parts.MessageLength);
        parts.JoinInto(bytes.Span);
        DeliveryBatch message = parts.IsOfPiece ? DeliveryBatch.OfPiece(number, bytes) : new(number, bytes);
        _pool.Return(parts);
        counters.Joined++;
        Deliver(cursor, message, now);
        chunk.Release();
    }

    private void Deliver(SenderCursor cursor, in DeliveryBatch batch, Instant now)
    {
        counters.Messages += (ulong)batch.Count;
        counters.Bytes += (ulong)batch.TotalLength;
        cursor.Listener.OnMessages(cursor.Sender, batch, now);
    }

    // Drops messages that have been delivered; false when no other is in the batch.
    private bool TryPassDelivered(SenderCursor cursor, ref DeliveryBatch batch)
    {
        int passed = (int)Math.Min((ulong)batch.Count, cursor.Next - batch.Number);
        counters.Duplicates += (ulong)passed;
        if (passed == batch.Count) return false;
        batch = batch.After(passed);
        return true;
    }

    private void ReportLoss(SenderCursor cursor, ulong next, Instant now)
    {
        ulong first = cursor.Next;
        if (next <= first) return;
        ulong count = first == 0 ? 0 : next - first;
        cursor.Next = next;
        counters.Lost += count;
        if (count == 0) probes.Reached("a loss of unknown extent is reported");
        cursor.Listener.OnLoss(cursor.Sender, first, count, now);
    }

    private void Hold(SenderCursor cursor, in DeliveryBatch batch)
    {
        ReorderBuffer held = cursor.Held ??= _pool.RentBuffer();
        if (held.TryAppend(batch))
        {
            counters.HeldBytes += batch.TotalLength;
        }
        else if (held.HoldsAny(batch.Number, batch.End))
        {
            HoldMissing(held, batch);
            return;
        }
        else
        {
            Add(held, batch);
        }
        counters.Held += (ulong)batch.Count;
    }

    // Some of the messages are held already: each is looked up, and those between them are added as a batch, so that a
    // packet does not become thousands of entries.
    private void HoldMissing(ReorderBuffer held, in DeliveryBatch batch)
    {
        int from = 0;
        for (int index = 0; index < batch.Count; index++)
        {
            if (!held.TryFind(batch.Number + (ulong)index, out HeldBatch present)) continue;
            HoldPart(held, batch, from, index);
            from = index + 1;
            if (present.Parts is null) counters.Duplicates++;
            else counters.Rejected.Count(RejectReason.BadFragment);
        }
        HoldPart(held, batch, from, batch.Count);
    }

    private void HoldPart(ReorderBuffer held, in DeliveryBatch batch, int from, int end)
    {
        if (from == end) return;
        Add(held, batch.After(from).Until(end - from));
        counters.Held += (ulong)(end - from);
    }

    private void Add(ReorderBuffer held, in DeliveryBatch messages)
    {
        messages.First.Retain();
        var batch = new HeldBatch(messages);
        held.Add(batch);
        counters.HeldBytes += batch.Charge;
    }

    private FragmentOutcome AddFragment(SenderCursor cursor, in PacketRecord fragment, Slice bytes)
    {
        ulong number = fragment.Number;
        if (cursor.Held is { } present && present.TryFind(number, out HeldBatch begun))
        {
            return begun.Parts is { } known && known.IsOfPiece == fragment.IsPiece
                ? known.Add(fragment.MessageLength, fragment.FragmentOffset, bytes)
                : FragmentOutcome.Contradiction;
        }

        Reassembly parts = _pool.RentReassembly(fragment.MessageLength, fragment.IsPiece);
        FragmentOutcome outcome = parts.Add(fragment.MessageLength, fragment.FragmentOffset, bytes);
        if (outcome != FragmentOutcome.Added)
        {
            _pool.Return(parts);
            return outcome;
        }
        ReorderBuffer held = cursor.Held ??= _pool.RentBuffer();
        held.Add(new HeldBatch(number, parts));
        counters.Held++;
        return outcome;
    }

    /// <summary>Removes the lowest batch, and its charge; an empty buffer returns to the pool.</summary>
    private HeldBatch Take(SenderCursor cursor, ReorderBuffer held)
    {
        HeldBatch batch = held.TakeFirst();
        counters.HeldBytes -= batch.Charge;
        if (held.Count == 0)
        {
            cursor.Held = null;
            _pool.Return(held);
        }
        return batch;
    }

    private void Release(in HeldBatch batch)
    {
        batch.Messages.First.Release();
        if (batch.Parts is not null) _pool.Return(batch.Parts);
    }
}
