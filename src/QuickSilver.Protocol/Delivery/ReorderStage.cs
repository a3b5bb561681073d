using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// From messages and fragments in any order to messages in their sender's order, each once.
/// </summary>
/// <remarks>
/// Message n of a (sender, group) is delivered when n - 1 has been delivered or reported lost. Whole messages come and go in runs: where the next one
/// is among them, all up to the first that is held go straight through in one call; anything else waits in its place's queue, and a fragmented
/// message as its fragments, which are joined into one buffer at the moment of delivery. A message that becomes deliverable while another of its
/// place is being delivered (the handler sent to itself) waits for the end of that call, so handlers of one place never nest.
/// </remarks>
internal sealed class ReorderStage(BufferPool buffers, DeliveryCounters counters, Probes probes)
{
    private readonly HeldPool _pool = new();

    /// <summary>Takes whole messages; retains what it keeps.</summary>
    public void OnWhole(SenderCursor place, DeliveryBatch run, Instant now)
    {
        while (true)
        {
            if (run.Number < place.Next && !TryPassDelivered(place, ref run)) return;
            if (run.Number != place.Next || place.IsDelivering) break;
            int open = place.Held is { } held ? (int)Math.Min((ulong)run.Count, held.First.Number - run.Number) : run.Count;
            if (open == 0) break;
            place.Next = run.Number + (ulong)open;
            place.IsDelivering = true;
            Deliver(place, open == run.Count ? run : run.Until(open), now);
            place.IsDelivering = false;
            if (place.Held is not null) Drain(place, now);
            if (open == run.Count || !place.Group.IsOpen) return;
            run = run.After(open);
        }
        Hold(place, run);
    }

    /// <summary>Takes a fragment; retains what it keeps.</summary>
    public void OnFragment(SenderCursor place, ulong number, int messageLength, int offset, Slice bytes, Instant now)
    {
        if (number < place.Next)
        {
            counters.Duplicates++;
            return;
        }
        switch (AddFragment(place, number, messageLength, offset, bytes))
        {
            case FragmentOutcome.Added:
                counters.HeldBytes += bytes.Length + HeldBatch.Overhead;
                if (number == place.Next) Drain(place, now);
                break;
            case FragmentOutcome.Duplicate:
                counters.Duplicates++;
                break;
            case FragmentOutcome.Contradiction:
                counters.Rejected.Count(RejectReason.BadFragment);
                break;
        }
    }

    /// <summary>Starts a place that has none, and delivers what waited for it.</summary>
    public void Start(SenderCursor place, ulong number, Instant now)
    {
        System.Diagnostics.Debug.Assert(place.Next == 0, "a place starts once");
        place.Next = number;
        if (place.Held is not null) probes.Hit(Mark.PlaceStartedWithHeld);
        while (place.Held is { } held && held.First.Number < number)
        {
            ulong passed = Math.Min(held.First.End, number) - held.First.Number;
            counters.Duplicates += passed;
            if (held.First.End <= number)
            {
                Release(Take(place, held));
                continue;
            }
            counters.HeldBytes -= (long)passed * held.First.Messages.Length;
            held.MoveOn((int)passed);
        }
        Drain(place, now);
    }

    /// <summary>
    /// Gives up what is missing between the messages held: reports each gap and delivers what follows it. A message of which some fragments are here
    /// counts as missing. A place that had not started starts at the lowest message held, after one loss of unknown count.
    /// </summary>
    /// <returns>True when there was a gap.</returns>
    public bool SkipGaps(SenderCursor place, Instant now)
    {
        bool hasGap = false;
        bool outer = place.IsDelivering;
        place.IsDelivering = true;
        while (place.Held is not null)
        {
            ulong next = 0;
            while (place.Held is { } held)
            {
                next = held.First.Number;
                if (held.First.IsComplete) break;
                next++;
                Release(Take(place, held));
            }
            hasGap |= next > place.Next;
            ReportLoss(place, next, now);
            DeliverReady(place, now);
        }
        place.IsDelivering = outer;
        return hasGap;
    }

    /// <summary>
    /// Reports that messages after the last one may be lost, nobody knows how many. A place that has not started, or has ended, is silent.
    /// </summary>
    public void ReportTail(SenderCursor place, Instant now)
    {
        if (place.Next > 0 && place.Group.IsOpen) place.Group.Listener.OnLoss(place.Sender, place.Next, 0, now);
    }

    /// <summary>Drops everything a place holds.</summary>
    public void Drop(SenderCursor place)
    {
        while (place.Held is { } held) Release(Take(place, held));
    }

    private void Drain(SenderCursor place, Instant now)
    {
        if (place.IsDelivering)
        {
            probes.Hit(Mark.DeliveryNested);
            return;
        }
        place.IsDelivering = true;
        DeliverReady(place, now);
        place.IsDelivering = false;
    }

    private void DeliverReady(SenderCursor place, Instant now)
    {
        // Read afresh each time: the handler may have closed the group, which drops what is held.
        while (place.Held is { } held && held.First.Number == place.Next && held.First.IsComplete)
        {
            HeldBatch run = Take(place, held);
            place.Next = run.End;
            if (run.Parts is not null) DeliverJoined(place, run.Number, run.Parts, now);
            else Deliver(place, run.Messages, now);
            run.Messages.First.Release();
        }
    }

    private void DeliverJoined(SenderCursor place, ulong number, Reassembly parts, Instant now)
    {
        Chunk chunk = buffers.Rent(parts.MessageLength, BufferOwner.Reassembly);
        var bytes = new Slice(chunk, 0, parts.MessageLength);
        parts.JoinInto(bytes.Span);
        _pool.Return(parts);
        counters.Joined++;
        probes.Hit(Mark.MessageJoined);
        Deliver(place, new DeliveryBatch(number, bytes), now);
        chunk.Release();
    }

    private void Deliver(SenderCursor place, in DeliveryBatch run, Instant now)
    {
        counters.Messages += (ulong)run.Count;
        counters.Bytes += (ulong)run.TotalLength;
        place.Group.Listener.OnMessages(place.Sender, run, now);
    }

    // Messages that have been delivered are dropped; false when nothing else is in the run.
    private bool TryPassDelivered(SenderCursor place, ref DeliveryBatch run)
    {
        int passed = (int)Math.Min((ulong)run.Count, place.Next - run.Number);
        counters.Duplicates += (ulong)passed;
        probes.Hit(Mark.DuplicateMessage);
        if (passed == run.Count) return false;
        run = run.After(passed);
        return true;
    }

    private void ReportLoss(SenderCursor place, ulong next, Instant now)
    {
        ulong first = place.Next;
        if (next <= first) return;
        ulong count = first == 0 ? 0 : next - first;
        place.Next = next;
        counters.Lost += count;
        probes.Hit(count == 0 ? Mark.LossOfUnknownCount : Mark.LossReported);
        place.Group.Listener.OnLoss(place.Sender, first, count, now);
    }

    private void Hold(SenderCursor place, in DeliveryBatch run)
    {
        ReorderBuffer held = place.Held ??= _pool.RentQueue();
        if (held.TryAppend(run))
        {
            counters.HeldBytes += run.TotalLength;
        }
        else if (held.HoldsAny(run.Number, run.End))
        {
            HoldMissing(held, run);
            return;
        }
        else
        {
            Add(held, run);
        }
        probes.Hit(Mark.MessageHeld);
        counters.Held += (ulong)run.Count;
    }

    // Some of the messages are held already: each is looked up, and what lies between those is added as a run,
    // lest a packet becomes thousands of entries.
    private void HoldMissing(ReorderBuffer held, in DeliveryBatch run)
    {
        int from = 0;
        for (int index = 0; index < run.Count; index++)
        {
            if (!held.TryFind(run.Number + (ulong)index, out HeldBatch present)) continue;
            HoldPart(held, run, from, index);
            from = index + 1;
            if (present.Parts is null) counters.Duplicates++;
            else counters.Rejected.Count(RejectReason.BadFragment);
        }
        HoldPart(held, run, from, run.Count);
    }

    private void HoldPart(ReorderBuffer held, in DeliveryBatch run, int from, int end)
    {
        if (from == end) return;
        Add(held, run.After(from).Until(end - from));
        counters.Held += (ulong)(end - from);
        probes.Hit(Mark.MessageHeld);
    }

    private void Add(ReorderBuffer held, in DeliveryBatch messages)
    {
        messages.First.Retain();
        var run = new HeldBatch(messages);
        held.Add(run);
        counters.HeldBytes += run.Charge;
    }

    private FragmentOutcome AddFragment(SenderCursor place, ulong number, int messageLength, int offset, Slice bytes)
    {
        if (place.Held is { } present && present.TryFind(number, out HeldBatch begun))
            return begun.Parts?.Add(messageLength, offset, bytes) ?? FragmentOutcome.Contradiction;

        Reassembly parts = _pool.RentReassembly(messageLength);
        FragmentOutcome outcome = parts.Add(messageLength, offset, bytes);
        if (outcome != FragmentOutcome.Added)
        {
            _pool.Return(parts);
            return outcome;
        }
        ReorderBuffer held = place.Held ??= _pool.RentQueue();
        held.Add(new HeldBatch(number, parts));
        counters.Held++;
        return outcome;
    }

    /// <summary>Takes the lowest run out, off the account too; a queue that is then empty goes back to the pool.</summary>
    private HeldBatch Take(SenderCursor place, ReorderBuffer held)
    {
        HeldBatch run = held.TakeFirst();
        counters.HeldBytes -= run.Charge;
        if (held.Count == 0)
        {
            place.Held = null;
            _pool.Return(held);
        }
        return run;
    }

    private void Release(in HeldBatch run)
    {
        run.Messages.First.Release();
        if (run.Parts is not null) _pool.Return(run.Parts);
    }
}
