using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// Acknowledgements that wait to be built: of hops to the previous member, and of streams to their senders.
/// </summary>
internal sealed class AckFeed(RecoveryContext node, RegionState region) : IFeed
{
    private readonly Queue<TokenHop> _hops = new();
    private readonly Queue<StreamReceiver> _streams = new();

    /// <summary>A hop has arrived.</summary>
    public void AddHop(in TokenHop hop)
    {
        _hops.Enqueue(hop with { Part = 0 });
        node.Roots.Register(this, PriorityClass.Token);
    }

    /// <summary>
    /// Queues feedback to a stream's sender: <see cref="LeaderRecord.Feedback"/> as it is when the datagram is built.
    /// </summary>
    public void Add(StreamReceiver stream)
    {
        if (stream.Lead.AckDue) return;
        stream.Lead.AckDue = true;
        _streams.Enqueue(stream);
        node.Roots.Register(this, PriorityClass.Token);
    }

    public void Close()
    {
        _hops.Clear();
        _streams.Clear();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        var writer = new WireWriter(node.Scratch.AsSpan(DatagramHeader.Length));
        while (_hops.TryDequeue(out TokenHop hop))
        {
            if (node.Probes.Here(BuggifySite.HopAckWithheld)) continue;
            hop.WriteTo(ref writer, []);
            DatagramHeader header = node.Header(region.View, DatagramKind.TokenAck);
            train = node.Seal(header, writer.Written, region.View.Members[hop.From]);
            return true;
        }
        while (_streams.TryDequeue(out StreamReceiver? stream))
        {
            stream.Lead.AckDue = false;
            if (node.Probes.Here(BuggifySite.AckWithheld)) continue;
            stream.Lead.Feedback.WriteTo(ref writer, region.Ring.Behind);
            train = node.Seal(node.Header(region.View, DatagramKind.Ack), writer.Written, stream.Sender);
            return true;
        }
        train = default;
        return false;
    }
}
