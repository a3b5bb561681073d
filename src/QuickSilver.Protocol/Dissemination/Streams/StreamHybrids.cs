using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Packing;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// One stream's part in hybrid packets: the groups that send them through it, and what these report to the stream. Core
/// thread only.
/// </summary>
/// <param name="context">What the streams of the node share.</param>
/// <param name="messages">The stream's messages.</param>
/// <param name="pending">The stream's packets.</param>
/// <param name="memory">Memory for packets.</param>
/// <param name="sent">Called when packets were added that leave now.</param>
internal sealed class StreamHybrids(
    StreamContext context,
    StreamMessages messages,
    PendingPackets pending,
    PacketMemory memory,
    Action<Instant> sent)
{
    /// <summary>How long a region gets packets of its own after a member has missed nearly all of them.</summary>
    private static readonly TimeSpan PauseTime = TimeSpan.FromSeconds(60);

    private readonly List<HybridWay> _ways = messages.Hybrids;
    private Alarm? _pauseEnds;

    /// <summary>True while the stream takes no part, since hybrid packets may not arrive.</summary>
    public bool ArePaused { get; private set; }

    /// <summary>True when a message waits for a hybrid packet.</summary>
    public bool AnyWaits
    {
        get
        {
            foreach (HybridWay way in _ways)
            {
                if (!way.IsEmpty) return true;
            }
            return false;
        }
    }

    /// <summary>The stream takes part in a group's hybrid packets.</summary>
    public void Add(HybridWay way) => _ways.Add(way);

    /// <summary>The stream takes no part in them any longer.</summary>
    public void Remove(HybridWay way) => _ways.Remove(way);

    /// <summary>True when a message of a group waits; with a ticket, the ticket's.</summary>
    public bool Hold(GroupLedger group, SendTicket? ticket)
    {
        foreach (HybridWay way in _ways)
        {
            if (way.Holds(group, ticket)) return true;
        }
        return false;
    }

    /// <summary>Nobody is left to send to: waiting messages count as sent and stable in the stream.</summary>
    public void OnGivenUp(Instant now)
    {
        for (int index = _ways.Count - 1; index >= 0; index--) _ways[index].OnGivenUp(messages, now);
    }

    /// <summary>
    /// Packets do not arrive at a member. Either the stream's own address does not reach it, or that of a group.
    /// </summary>
    public void Pause(Instant now)
    {
        if (_ways.Count == 0 && !ArePaused) return;
        ArePaused = true;
        _pauseEnds ??= new Alarm(context.Send.Alarms, _ => ArePaused = false);
        _pauseEnds.Set(now + PauseTime);
    }

    /// <summary>Adds a hybrid packet to the pending ones.</summary>
    /// <param name="datagram">The hybrid datagram; the stream takes a reference of its own.</param>
    /// <param name="region">Position of the stream's region in it, from 1.</param>
    /// <param name="charge">Its charge.</param>
    /// <param name="isPaid">True when <see cref="SendAllowance.TryHold"/> has taken it from the rate.</param>
    /// <param name="now">The present instant.</param>
    public void AddPacket(in Slice datagram, int region, int charge, bool isPaid, Instant now)
    {
        messages.Allowance.OnPacked(charge, now);
        if (!isPaid) messages.Allowance.OnTrain(1, charge, now);
        datagram.Retain();
        pending.Add(new PendingPacket
        {
            Datagram = datagram,
            RegionInShared = (byte)region,
            Charge = messages.Allowance.TotalCharge,
            Sent = now,
        });
    }

    /// <summary>
    /// A pending packet as the stream's own datagram; one that left in a hybrid packet is derived when it is first
    /// asked for.
    /// </summary>
    public Slice DatagramOf(ulong sequence)
    {
        ref PendingPacket packet = ref pending[sequence];
        if (packet.RegionInShared == 0) return packet.Datagram;
        Slice place = memory.Lone.Take(HybridPacket.LongestDerived(packet.Datagram.Length, isLongIndex: true));
        int length = HybridPacket.Derive(
            packet.Datagram.Span, packet.RegionInShared - 1, messages.View.Number.Epoch, place.Span);
        System.Diagnostics.Debug.Assert(length > 0, "what was packed can be derived");
        packet.Datagram.Release();
        packet.Datagram = memory.Lone.Trim(place, length);
        packet.RegionInShared = 0;
        return packet.Datagram;
    }

    /// <summary>Hybrid packets were added, and leave now.</summary>
    public void OnSent(Instant now)
    {
        messages.TakePacked();
        sent(now);
    }

    /// <summary>Cancels the alarm.</summary>
    public void Close() => _pauseEnds?.Cancel();
}
