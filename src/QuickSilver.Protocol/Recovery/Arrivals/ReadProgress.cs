using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;

namespace QuickSilver.Protocol.Recovery.Arrivals;

/// <summary>
/// How far this node has read the streams of one view from its sockets. A packet is found missing when its socket was
/// read past it. Core thread only; O(1) a packet.
/// </summary>
internal sealed class ReadProgress(
    RecoveryContext node, RegionState region, ArrivalJudge arrivals, GapRepair gaps)
{
    private bool _hasCopies;

    /// <summary>Counts a packet that came from the sender itself, accepted or not.</summary>
    public void NoteDirect(StreamReceiver stream, SocketRole role, Instant now)
    {
        stream.Direct++;
        if (role != SocketRole.Unicast) return;
        stream.CopiedAt = now;
        _hasCopies = true;
    }

    /// <summary>
    /// A sequence was read from a socket: lower ones that did not come by it are missing.
    /// </summary>
    public void OnRead(StreamReceiver stream, ulong sequence, SocketRole role, Instant now)
    {
        // Copies and multicast come by two sockets. Only one of them advances the read position.
        if (role == SocketRole.Unicast || !stream.IsCopied(now)) Raise(stream, sequence, now);
    }

    /// <summary>A socket that may carry streams of this view was found empty.</summary>
    /// <param name="isUnicast">True for the unicast socket. It carries all streams or, where there is a channel, those
    /// that come by copies.</param>
    /// <param name="take">The batch of completions that reported it.</param>
    /// <param name="now">The time of the report.</param>
    public void OnDrained(bool isUnicast, ulong take, Instant now)
    {
        if (isUnicast && region.Channel is not null && !_hasCopies) return;
        foreach (StreamReceiver stream in region.Streams)
        {
            if (stream.ReadPositionTarget <= stream.ReadPosition || stream.ReadPositionTargetTake > take) continue;
            if (region.Channel is not null && stream.IsCopied(now) != isUnicast) continue;
            node.Probes.Reached("a socket is empty and what a token named is missing");
            Raise(stream, stream.ReadPositionTarget, now);
        }
    }

    /// <summary>
    /// Moves a stream's read position to a sequence; those below it that have not come are missing.
    /// </summary>
    public void Raise(StreamReceiver stream, ulong sequence, Instant now)
    {
        ulong missed = stream.RaiseReadPosition(sequence, now);
        if (missed == 0) return;
        node.Counters.PacketsMissed += missed;
        arrivals.OnMissed(stream, missed, now);
        if (stream.Orphan is null) gaps.OnGap(now);
    }
}
