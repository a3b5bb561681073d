using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Paths;

/// <summary>
/// Judges, for one region view, whether the multicast of its senders arrives here, and reports the result to them.
/// <para>
/// Idea: each stream counts the packets that came from its sender directly, and those found missing. When nearly all
/// were missing for a second, the sender's multicast does not arrive. It is notified, at growing intervals, until
/// something arrives. For a slow stream it takes three seconds and four packets, none of which came. Packets are found
/// missing only where the socket was read past them. So a node that paused judges nothing before it has read the
/// datagrams that waited.
/// </para>
/// Cost: one count a packet; the judgement runs where packets are found missing. Core thread only.
/// </summary>
internal sealed class ArrivalJudge(RecoveryContext node, RegionState region) : IFeed
{
    /// <summary>Nearly all are missing when at most one in this number arrives.</summary>
    private const ulong NearlyAll = 16;

    private const ulong ManyMissing = 32;
    private const ulong SomeMissing = 4;
    private const int MaxReports = 64;

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Longer = TimeSpan.FromSeconds(3);

    private readonly Queue<(StreamReceiver Stream, CarrierWordBody Body)> _reports = new();

    /// <summary>Packets of a stream were found missing.</summary>
    public void OnMissed(StreamReceiver stream, ulong missed, Instant now)
    {
        if (region.View.Multicast.IsNone || stream.Orphan is not null) return;
        ref ArrivalWindow window = ref stream.Arrivals;
        if (window.Began == Instant.Zero) window.Restart(stream.Direct, now);
        window.Missed += missed;
        TimeSpan age = now - window.Began;
        if (age < Shortest) return;
        ulong direct = stream.Direct - window.DirectBefore;
        if (direct * NearlyAll > window.Missed)
        {
            window.Restart(stream.Direct, now);
            return;
        }
        bool isUnheard = window.Missed >= ManyMissing || (direct == 0 && window.Missed >= SomeMissing && age >= Longer);
        if (!isUnheard || now < window.NextWord) return;
        if (window.Words == 0) node.Events.OnSenderUnheard(stream.Sender, now);
        window.OnWord(now);
        node.Probes.Reached("a member tells a sender that its multicast does not arrive");
        Report(stream, new CarrierWordBody(null));
    }

    /// <summary>
    /// A packet was stored that its sender sent to its group's address. When nearly all of these come by repairs for a
    /// second, that address does not reach this member, whatever else does.
    /// </summary>
    public void OnHybrid(StreamReceiver stream, bool isRepair, Instant now)
    {
        ref ArrivalWindow window = ref stream.HybridArrivals;
        if (window.Began == Instant.Zero) window.Restart(stream.HybridDirect, now);
        if (!isRepair)
        {
            stream.HybridDirect++;
            return;
        }
        window.Missed++;
        if (now - window.Began < Shortest) return;
        if ((stream.HybridDirect - window.DirectBefore) * NearlyAll > window.Missed)
            window.Restart(stream.HybridDirect, now);
        if (window.Missed < ManyMissing || now < window.NextWord) return;
        window.OnWord(now);
        Report(stream, new CarrierWordBody(null));
    }

    /// <summary>A sender's carrier probe came by multicast.</summary>
    public void OnProbe(StreamReceiver stream, ulong probe) => Report(stream, new CarrierWordBody(probe));

    /// <summary>Drops the reports that wait.</summary>
    public void Close() => _reports.Clear();

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (_reports.TryDequeue(out (StreamReceiver Stream, CarrierWordBody Body) report))
        {
            if (report.Stream.Sender.IsRemoved) continue;
            var writer = new WireWriter(node.Scratch.AsSpan(DatagramHeader.Length));
            report.Body.WriteTo(ref writer);
            train = node.Seal(node.Header(region.View, DatagramKind.CarrierWord), writer.Written, report.Stream.Sender);
            return true;
        }
        train = default;
        return false;
    }

    private void Report(StreamReceiver stream, CarrierWordBody body)
    {
        if (stream.Own is not null || _reports.Count == MaxReports) return;
        _reports.Enqueue((stream, body));
        node.Roots.Register(this, PriorityClass.Request);
    }
}
