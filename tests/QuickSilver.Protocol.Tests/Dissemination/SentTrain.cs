using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A copy of one train.</summary>
internal sealed class SentTrain
{
    public SentTrain(in Train train, PriorityClass priority)
    {
        Priority = priority;
        Route = train.Route;
        To = train.To;
        Channel = train.Channel;
        Segment = train.SegmentBytes;
        ReadOnlySpan<byte> rest = train.Span;
        while (!rest.IsEmpty)
        {
            Assert.Equal(RejectReason.None, DatagramHeader.TryRead(rest, out DatagramHeader header));
            Assert.True(header.PayloadIsIntact(rest[..header.TotalLength]));
            Assert.Equal(SendWorld.ClusterInstance, header.Cluster);
            Datagrams.Add(rest[..header.TotalLength].ToArray());
            Headers.Add(header);
            rest = rest[header.TotalLength..];
        }
        Assert.Equal(train.Count, Datagrams.Count);
    }

    public PriorityClass Priority { get; }

    public TrainRoute Route { get; }

    public NetEndpoint To { get; }

    public IRegionChannel? Channel { get; }

    public int Segment { get; }

    public List<byte[]> Datagrams { get; } = [];

    public List<DatagramHeader> Headers { get; } = [];

    public DatagramKind Kind => Headers[0].Kind;
}
